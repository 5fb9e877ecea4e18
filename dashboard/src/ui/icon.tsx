/** Paths on a grid of 16, drawn as lines. Part of the page: no font and no further request. */
const PATHS = {
  servers: 'M2.5 3.5h11v3.5h-11zM2.5 9h11v3.5h-11zM5 5.25h.01M5 10.75h.01',
  catalog: 'M2.5 2.5h4.5v4.5h-4.5zM9 2.5h4.5v4.5H9zM2.5 9h4.5v4.5h-4.5zM11.25 9v4.5M9 11.25h4.5',
  calls: 'M2.5 4.5h8M2.5 8h11M2.5 11.5h5',
  recordings: 'M8 13.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  health: 'M1.5 8.5h3l2-5 3 9.5 2-6 .8 1.5h2.2',
  settings: 'M2.5 4.5h6M11.5 4.5h2M2.5 11.5h2M7.5 11.5h6M10 3v3M6 10v3',
  start: 'M5 3.5v9l7.5-4.5z',
  stop: 'M4.5 4.5h7v7h-7z',
  restart: 'M13 8a5 5 0 1 1-1.6-3.7M13 2.5v3h-3',
  power: 'M8 2.5v5M4.8 4.4a5 5 0 1 0 6.4 0',
  copy: 'M6 6h7.5v7.5H6zM10 6V2.5H2.5V10H6',
  check: 'M3 8.5l3.2 3.2L13 4.8',
  close: 'M4 4l8 8M12 4l-8 8',
  search: 'M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2',
  up: 'M8 13V3.5M4 7l4-4 4 4',
  down: 'M8 3v9.5M4 9l4 4 4-4',
  plus: 'M8 3v10M3 8h10',
  next: 'M6 3.5L10.5 8 6 12.5',
  pause: 'M5.5 3.5v9M10.5 3.5v9',
  download: 'M8 2.5v7.5M4.5 7L8 10.5 11.5 7M3 13.5h10',
  link: 'M9 3h4v4M13 3L7.5 8.5M11 9.5V13H3V5h3.5',
  warning: 'M8 2.5l6 11H2zM8 6.5v3.2M8 11.8h.01',
  question: 'M8 14a6 6 0 1 0 0-12 6 6 0 0 0 0 12zM6.3 6.4a1.8 1.8 0 1 1 2.5 1.7c-.5.2-.8.6-.8 1.1M8 11.3h.01',
} as const;

export type IconName = keyof typeof PATHS;

/** Beside a text that says the same, so no reader hears of it. */
export function Icon({ name }: { name: IconName }) {
  return (
    <svg class="icon" viewBox="0 0 16 16" width="16" height="16" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
