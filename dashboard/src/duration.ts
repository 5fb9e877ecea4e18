const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** A length of time in its two largest units: `4 s`, `3 min`, `2 h 5 min`, `6 d 1 h`. Never negative: clocks may be set back. */
export function durationText(ms: number): string {
  if (!(ms >= SECOND)) return '0 s';
  if (ms < MINUTE) return `${Math.floor(ms / SECOND)} s`;
  if (ms < HOUR) return `${Math.floor(ms / MINUTE)} min`;
  if (ms < DAY) return two(ms, HOUR, 'h', MINUTE, 'min');
  return two(ms, DAY, 'd', HOUR, 'h');
}

// — internal —

function two(ms: number, large: number, largeName: string, small: number, smallName: string): string {
  const rest = Math.floor((ms % large) / small);
  const whole = `${Math.floor(ms / large)} ${largeName}`;
  return rest === 0 ? whole : `${whole} ${rest} ${smallName}`;
}
