import type { ReplayDifference } from '../api/contract/recordings.ts';
import { REPLAY_DIFFERENCES_MAX, REPLAY_VALUE_CHARS_MAX } from '../recorder-limits.ts';

/** Whether two answers say the same, apart from what differs from one run to the next. Pure. */

export interface Comparison {
  /** The first REPLAY_DIFFERENCES_MAX. */
  differences: ReplayDifference[];
  /** How many more there are. */
  more: number;
}

/** @param recorded @param replayed JSON texts of whole messages */
export function compareAnswers(recorded: string, replayed: string): Comparison {
  const found: ReplayDifference[] = [];
  const [one, other] = [answerIn(recorded), answerIn(replayed)];
  compare(one, other, '', found);
  return {
    differences: found.slice(0, REPLAY_DIFFERENCES_MAX),
    more: Math.max(0, found.length - REPLAY_DIFFERENCES_MAX),
  };
}

// — internal —

/** Members whose value is another in each run, whatever it is. */
const VOLATILE_MEMBERS: ReadonlySet<string> = new Set([
  // The protocol's: whose they are is only known to the process that made them.
  'requestState',
  'taskId',
  'nextCursor',
  'progressToken',
  'sessionId',
  // Of tracing, in `_meta`.
  'traceparent',
  'tracestate',
  // By custom: when something happened, and how long it took.
  // mcpd's own mark in the environment of each process.
  'MCPD_INSTANCE',
  'pid',
  'uptime',
  'createdAt',
  'updatedAt',
  'lastUpdatedAt',
  'timestamp',
  'elapsedMs',
  'durationMs',
]);

/** What in a text is another in each run, and what stands for it in a comparison. */
const VOLATILE_TEXTS: readonly [pattern: RegExp, instead: string][] = [
  [/\b\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?(?:Z|\s?[+-]\d{2}:?\d{2})?/g, '<time>'],
  [/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/gi, '<uuid>'],
  // Milliseconds since 1970, in this century's decades.
  [/\b1[5-9]\d{11}\b/g, '<time>'],
  [/\b\d+(?:\.\d+)?\s?(?:ms|milliseconds)\b/g, '<duration>'],
];

/** Without what JSON-RPC needs and nobody means. */
function answerIn(text: string): unknown {
  const { result, error } = JSON.parse(text) as { result?: unknown; error?: unknown };
  return error === undefined ? { result } : { error };
}

function compare(recorded: unknown, replayed: unknown, path: string, found: ReplayDifference[]): void {
  if (Array.isArray(recorded) && Array.isArray(replayed)) {
    for (let at = 0; at < Math.max(recorded.length, replayed.length); at++)
      compare(recorded[at], replayed[at], below(path, String(at)), found);
    return;
  }
  if (isObject(recorded) && isObject(replayed)) {
    for (const key of new Set([...Object.keys(recorded), ...Object.keys(replayed)])) {
      const [one, other] = [own(recorded, key), own(replayed, key)];
      if (VOLATILE_MEMBERS.has(key) && one !== undefined && other !== undefined) continue;
      compare(one, other, below(path, key), found);
    }
    return;
  }
  if (typeof recorded === 'string' && typeof replayed === 'string') {
    if (recorded === replayed || settled(recorded) === settled(replayed)) return;
    // Most tools answer JSON in a text: the difference is somewhere in it.
    const [one, other] = [structureIn(recorded), structureIn(replayed)];
    if (one !== null && other !== null) return compare(one, other, path, found);
  } else if (Object.is(recorded, replayed) || areTimes(recorded, replayed)) return;
  found.push({ path, recorded: shown(recorded), replayed: shown(replayed) });
}

function settled(text: string): string {
  return VOLATILE_TEXTS.reduce((rest, [pattern, instead]) => rest.replace(pattern, instead), text);
}

function areTimes(recorded: unknown, replayed: unknown): boolean {
  return (
    typeof recorded === 'number' && typeof replayed === 'number' && settled(`${recorded}`) === settled(`${replayed}`)
  );
}

function structureIn(text: string): object | null {
  if (!/^\s*[[{]/.test(text)) return null;
  try {
    return JSON.parse(text) as object;
  } catch {
    return null; // a text that only begins like JSON
  }
}

function own(value: Record<string, unknown>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

function below(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

function shown(value: unknown): string | null {
  if (value === undefined) return null;
  const text = JSON.stringify(value);
  return text.length <= REPLAY_VALUE_CHARS_MAX ? text : `${text.slice(0, REPLAY_VALUE_CHARS_MAX)}…`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
