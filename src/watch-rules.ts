import { WATCH_DEBOUNCE_MS, WATCH_GATHER_MAX_MS, WATCH_RESTARTS_PER_MINUTE_MAX } from './operation-limits.ts';

/** What a watched folder's changes mean, without looking at a disk or a clock. */

/** Written by tools, never a server's own source. */
const NEVER = new Set([
  ...[
    'node_modules',
    'bower_components',
    '.git',
    '.hg',
    '.svn',
    '.idea',
    '.vscode',
    '.cache',
    '.turbo',
    '.parcel-cache',
    '.nx',
  ],
  ...[
    '.venv',
    'venv',
    '__pycache__',
    '.pytest_cache',
    '.mypy_cache',
    '.ruff_cache',
    'coverage',
    '.nyc_output',
    'logs',
    'tmp',
  ],
]);
/** Output of a build: ignored unless the server is started from there. */
const OUTPUT = new Set(['dist', 'build', 'out', 'target', '.next', '.output']);
/** Editors' temporary files, and what a server itself may write where it runs: watching those would restart it for ever. */
const NOISE =
  /(^\.#|^#.*#$|~$|^4913$|^\.DS_Store$|\.(log|tmp|swp|swx|swo|pid|pyc|tsbuildinfo)$|\.(db|sqlite3?)(-wal|-shm|-journal)?$)/i;

/**
 * Whether a change of `relative` (slashes, inside the folder, '' for the folder itself) restarts the server whose entry file is `entry`
 * (likewise relative, null when it is not inside).
 */
export function isWatched(relative: string, entry: string | null): boolean {
  if (relative === '') return true;
  if (relative === entry) return true;
  const parts = relative.split('/');
  const entryParts = entry === null ? [] : entry.split('/').slice(0, -1);
  const hidden = parts.some((part, depth) => {
    const holdsEntry =
      entryParts[depth] === part && parts.slice(0, depth).every((above, at) => entryParts[at] === above);
    return !holdsEntry && (NEVER.has(part) || OUTPUT.has(part));
  });
  return !hidden && !NOISE.test(parts.at(-1) ?? '');
}

const MINUTE_MS = 60_000;

/**
 * When to tell of a change (monotonic ms): after things were quiet for a moment, at the latest a few seconds after the first change, and
 * never more often than the limit of a minute; `held` says that the limit is the reason.
 * `told` are the earlier times, oldest first.
 */
export function dueAt(now: number, firstChange: number, told: readonly number[]): { at: number; held: boolean } {
  const gathered = Math.min(now + WATCH_DEBOUNCE_MS, firstChange + WATCH_GATHER_MAX_MS);
  const oldest = told.at(-WATCH_RESTARTS_PER_MINUTE_MAX);
  const allowed = oldest === undefined ? 0 : oldest + MINUTE_MS;
  return { at: Math.max(gathered, allowed), held: allowed > gathered };
}

/** `src/index.js changed`, `src/index.js and 3 more files changed`. */
export function describeChange(files: readonly string[]): string {
  const [first, ...others] = files;
  if (first === undefined) return 'the folder changed';
  if (others.length === 0) return `${first} changed`;
  return `${first} and ${others.length} more file${others.length === 1 ? '' : 's'} changed`;
}
