import type { ServerPatch } from '../src/api/contract.ts';
import { SHARINGS, type Sharing } from '../src/core/model.ts';
import { McpdError } from '../src/errors.ts';
import type { Parsed } from './command.ts';
import { durationMs, sizeBytes } from './units.ts';

type Limits = NonNullable<ServerPatch['limits']>;

/** The settings of one server that `add` and `set` take. Nothing given is an empty object. @throws McpdError USAGE naming the option */
export function settingsOf(parsed: Parsed): Pick<ServerPatch, 'start' | 'sharing' | 'limits'> {
  const limits: Limits = {
    ...limit('callTimeoutMs', parsed, 'timeout', durationMs),
    ...limit('startTimeoutMs', parsed, 'start-timeout', durationMs),
    ...limit('idleStopMs', parsed, 'idle', durationMs),
    ...limit('lineBytesMax', parsed, 'line-max', sizeBytes),
    ...limit('memorySoftBytes', parsed, 'memory', sizeBytes),
    ...limit('memoryHardBytes', parsed, 'memory', (text, option) => sizeBytes(text, option) * HARD_PER_SOFT),
  };
  const start = parsed.value('start');
  return {
    ...(start === undefined ? {} : { start: startMode(start) }),
    ...sharingOf(parsed),
    ...(Object.keys(limits).length === 0 ? {} : { limits }),
  };
}

/** `install` takes this one alone. @throws McpdError USAGE */
export function sharingOf(parsed: Parsed): { sharing?: Sharing } {
  const text = parsed.value('sharing');
  if (text === undefined) return {};
  const sharing = SHARINGS.find((mode) => mode === text);
  if (sharing !== undefined) return { sharing };
  throw new McpdError('USAGE', {
    what: `--sharing ${text} is not known`,
    why: `a server is shared in one of these ways: ${SHARINGS.join(', ')}`,
    fix: '--sharing auto',
  });
}

// — internal —

/** As the defaults stand to each other (limits.ts). */
const HARD_PER_SOFT = 2;
/** Takes the default again. */
const DEFAULT = 'default';

function limit(
  key: keyof Limits,
  parsed: Parsed,
  option: string,
  read: (text: string, option: string) => number,
): Limits {
  const text = parsed.value(option);
  if (text === undefined) return {};
  return { [key]: text === DEFAULT ? null : read(text, `--${option}`) };
}

function startMode(text: string): NonNullable<ServerPatch['start']> {
  if (text === 'on-demand' || text === 'always' || text === 'manual') return text;
  throw new McpdError('USAGE', {
    what: `--start ${text} is not known`,
    why: 'a server starts on-demand, always or manual',
    fix: '--start on-demand',
  });
}
