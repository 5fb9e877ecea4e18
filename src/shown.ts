/** Numbers as people read them: durations, sizes, times, amounts. */

/** `850 ms`, `3.2 s`, `4 min 5 s`, `2 h 3 min`, `5 d 2 h`: two units at most. */
export function shownDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const [minutes, seconds] = split(ms / 1000, 60);
  if (minutes < 60) return joined(minutes, 'min', seconds, 's');
  const [hours, restMinutes] = split(minutes, 60);
  if (hours < 24) return joined(hours, 'h', restMinutes, 'min');
  const [days, restHours] = split(hours, 24);
  return joined(days, 'd', restHours, 'h');
}

/** `1 tool`, `2 tools`. */
export function amount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** A commit as people have it; other versions as they are. */
export function shownVersion(version: string): string {
  return /^[0-9a-f]{40}$/.test(version) ? version.slice(0, COMMIT_CHARS_SHOWN) : version;
}

/** `512 B`, `2.0 KiB`, `38 MiB`, `1.4 GiB`. */
export function shownBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `2026-11-30 20:08:12.345` in the local time zone. */
export function shownTime(at: number): string {
  const date = new Date(at);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const millis = String(date.getMilliseconds()).padStart(3, '0');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${millis}`;
}

/** `claude-desktop, zed`, `claude-code in /home/me/app`, `all hosts`, `no host`: for whom a process of a server is there. */
export function shownWhose({ hosts, folder }: { hosts: readonly string[] | null; folder: string | null }): string {
  if (hosts === null) return 'all hosts';
  if (hosts.length === 0) return 'no host';
  const names = hosts.map((name) => (name === '' ? 'a host without a name' : name)).join(', ');
  return folder === null ? names : `${names} in ${folder}`;
}

// — internal —

const COMMIT_CHARS_SHOWN = 12;

function split(value: number, by: number): [whole: number, rest: number] {
  return [Math.floor(value / by), Math.floor(value) % by];
}

function joined(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${restUnit}`;
}
