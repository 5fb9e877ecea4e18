/**
 * What a shim and the daemon say to each other besides MCP: lines that begin with a byte that no JSON text begins with.
 * `!hello {…}` opens a connection, `!welcome {…}` accepts it; only then messages flow. A reader ignores words and members that it does
 * not know and takes defaults for those that are missing, so that an old shim and a new daemon understand each other, and the other way
 * round. No member that comes first is called as a member of a message is: a reader of messages may look for one behind other text.
 */
import type { NoiseReason, RawId } from './frame.ts';

/** `!`, the first byte of a control line. */
const CONTROL_BYTE = 0x21;
/** Of this file. It grows only when a reader of the earlier version would misread what is written now. */
export const PREAMBLE_VERSION = 1;

const ERAS = ['legacy', 'modern'] as const;
const LISTS = ['tools', 'prompts', 'resources', 'templates'] as const;
const NOISE_REASONS: readonly NoiseReason[] = [
  'not-json',
  'not-jsonrpc',
  'invalid-utf8',
  'too-deep',
  'too-long',
  'ambiguous-envelope',
  'batch',
];

export type ResumedList = (typeof LISTS)[number];

/** The session that a shim kept alive while its daemon was gone. */
export interface Resume {
  /** Raw JSON of the host's `initialize` params; null for a modern host. */
  initializeParams: string | null;
  /** The revision that the host was given. */
  protocolVersion: string | null;
  /** The host sent `notifications/initialized`. */
  initialized: boolean;
  logLevel: string | null;
  era: (typeof ERAS)[number] | null;
  /** Of the list results that the host saw last: sha-256 (hex) over the bytes of the `result` value as they were sent. */
  listDigests: Partial<Record<ResumedList, string>>;
}

export interface Hello {
  word: 'hello';
  /** PREAMBLE_VERSION of the shim. */
  preamble: number;
  /** Version of mcpd that the shim belongs to. */
  version: string;
  pid: number | null;
  /** The `--host` argument. */
  host: string | null;
  /** Where the host started the shim. */
  cwd: string | null;
  resume: Resume | null;
}

interface Welcome {
  word: 'welcome';
  preamble: number;
  /** Version of the daemon. */
  version: string;
  /** Another one after each start of a daemon. */
  generation: string;
}

/**
 * The daemon is about to close this connection. `stopping` and `upgrade`: what is open is still answered, new requests wait for the
 * next daemon. `refused`: nothing was read. `closed`: this session alone ends.
 */
export interface Bye {
  word: 'bye';
  reason: 'stopping' | 'upgrade' | 'refused' | 'closed';
  /** For people; may be empty. */
  text: string;
}

/** A line of the host that is no message. The shim keeps it and tells the daemon, which answers it as it answers all hosts. */
interface NoiseReport {
  word: 'noise';
  reason: NoiseReason;
  /** Of a request only: the id that the answer must carry. */
  id: RawId | null;
}

export type Control = Hello | Welcome | Bye | NoiseReport;

export function isControlLine(line: Uint8Array): boolean {
  return line[0] === CONTROL_BYTE;
}

/** The line, with its newline. */
export function encodeControl(control: Control): string {
  const { word, ...members } = control;
  return `!${word} ${JSON.stringify(members)}\n`;
}

/** What a control line says; null when it is damaged or its word is not known here. `line` has no newline. */
export function decodeControl(line: string): Control | null {
  const parts = /^!([a-z]+) (\{.*\})\r?$/s.exec(line);
  if (parts === null) return null;
  const members = parsedObject(parts[2] ?? '');
  return members === null ? null : read(parts[1] ?? '', members);
}

// — internal —

type Members = Record<string, unknown>;

function read(word: string, members: Members): Control | null {
  switch (word) {
    case 'hello':
      return readHello(members);
    case 'welcome':
      return { word, ...readVersions(members), generation: text(members['generation']) ?? '' };
    case 'bye':
      return {
        word,
        reason: oneOf(['stopping', 'upgrade', 'refused', 'closed'] as const, members['reason']) ?? 'stopping',
        text: text(members['text']) ?? '',
      };
    case 'noise':
      return { word, reason: oneOf(NOISE_REASONS, members['reason']) ?? 'not-json', id: rawId(members['id']) };
    default:
      return null;
  }
}

function readHello(members: Members): Hello | null {
  const versions = readVersions(members);
  if (versions.preamble < 1) return null;
  const pid = members['pid'];
  return {
    word: 'hello',
    ...versions,
    pid: typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0 ? pid : null,
    host: text(members['host']),
    cwd: text(members['cwd']),
    resume: readResume(members['resume']),
  };
}

function readVersions(members: Members): { preamble: number; version: string } {
  const preamble = members['preamble'];
  return {
    preamble: typeof preamble === 'number' && Number.isSafeInteger(preamble) ? preamble : 0,
    version: text(members['version']) ?? '',
  };
}

function readResume(value: unknown): Resume | null {
  if (!isObject(value)) return null;
  const params = text(value['initializeParams']);
  const digests = isObject(value['listDigests']) ? value['listDigests'] : {};
  const listDigests: Partial<Record<ResumedList, string>> = {};
  for (const list of LISTS) {
    const digest = text(digests[list]);
    if (digest !== null) listDigests[list] = digest;
  }
  return {
    initializeParams: params !== null && parsedObject(params) !== null ? params : null,
    protocolVersion: text(value['protocolVersion']),
    initialized: value['initialized'] === true,
    logLevel: text(value['logLevel']),
    era: oneOf(ERAS, value['era']),
    listDigests,
  };
}

/** A string or number as raw JSON: what may be copied into an answer. */
function rawId(value: unknown): RawId | null {
  if (typeof value !== 'string' || !/^(?:"|-?[0-9])/.test(value)) return null;
  try {
    JSON.parse(value);
    return value;
  } catch {
    // A damaged id names no request.
    return null;
  }
}

function parsedObject(json: string): Members | null {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : null;
  } catch {
    // Not JSON: the answer is "no object here".
    return null;
  }
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

function oneOf<T extends string>(known: readonly T[], value: unknown): T | null {
  return known.find((one) => one === value) ?? null;
}
