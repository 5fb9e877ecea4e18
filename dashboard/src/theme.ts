import { signal } from '@preact/signals';

export type Theme = 'system' | 'light' | 'dark';
export const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const KEY = 'mcpd-theme';

export const theme = signal<Theme>('system');

/** Whether the system is dark at this moment, whatever was chosen here: for what is drawn in fixed colours. */
export const systemIsDark = signal(false);

/** Takes the theme that was chosen before; without one the page is as the system is. */
export function applyKeptTheme(): void {
  const kept = localStorage.getItem(KEY);
  show(THEMES.find((one) => one === kept) ?? 'system');
  const dark = matchMedia('(prefers-color-scheme: dark)');
  systemIsDark.value = dark.matches;
  dark.addEventListener('change', () => (systemIsDark.value = dark.matches));
}

export function chooseTheme(chosen: Theme): void {
  localStorage.setItem(KEY, chosen);
  show(chosen);
}

// — internal —

function show(chosen: Theme): void {
  theme.value = chosen;
  if (chosen === 'system') delete document.documentElement.dataset['theme'];
  else document.documentElement.dataset['theme'] = chosen;
}
