/** What the door needs to know of a request's head, read in one pass over the headers as they came. */
export interface Head {
  host: string | null;
  origin: string | null;
  authorization: string | null;
  contentType: string | null;
  contentEncoding: string | null;
  contentLength: string | null;
  accept: string | null;
  /** `MCP-Protocol-Version` */
  version: string | null;
  /** `Mcp-Session-Id` */
  session: string | null;
  /** `Mcp-Method` and `Mcp-Name`, as they came: not decoded. */
  method: string | null;
  name: string | null;
  lastEventId: string | null;
  /** `Mcp-Param-…` by the lower-case rest of the name; null when there is none. */
  params: Map<string, string> | null;
  /** A header that must not be there twice and is; two readers would take different ones. */
  repeated: string | null;
}

/** `rawHeaders`: names and values in turn, as Node gives them. */
export function readHead(rawHeaders: readonly string[]): Head {
  const head: Head = { ...NOTHING };
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const written = rawHeaders[i] ?? '';
    if (!LENGTHS.has(written.length) && !isParam(written)) continue;
    const name = written.toLowerCase();
    const value = trimmed(rawHeaders[i + 1] ?? '');
    const field = FIELDS.get(name);
    if (field !== undefined) {
      if (head[field] === null) head[field] = value;
      else if (field === 'accept') head.accept = `${head.accept}, ${value}`;
      else head.repeated = name;
    } else if (isParam(name)) {
      head.params ??= new Map();
      const param = name.slice(PARAM_PREFIX.length);
      if (head.params.has(param)) head.repeated = name;
      head.params.set(param, value);
    }
  }
  return head;
}

// — internal —

const NOTHING: Head = {
  host: null,
  origin: null,
  authorization: null,
  contentType: null,
  contentEncoding: null,
  contentLength: null,
  accept: null,
  version: null,
  session: null,
  method: null,
  name: null,
  lastEventId: null,
  params: null,
  repeated: null,
};

type Field = Exclude<keyof Head, 'params' | 'repeated'>;

const FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ['host', 'host'],
  ['origin', 'origin'],
  ['authorization', 'authorization'],
  ['content-type', 'contentType'],
  ['content-encoding', 'contentEncoding'],
  ['content-length', 'contentLength'],
  ['accept', 'accept'],
  ['mcp-protocol-version', 'version'],
  ['mcp-session-id', 'session'],
  ['mcp-method', 'method'],
  ['mcp-name', 'name'],
  ['last-event-id', 'lastEventId'],
]);
const LENGTHS: ReadonlySet<number> = new Set([...FIELDS.keys()].map((name) => name.length));
const PARAM_PREFIX = 'mcp-param-';

function isParam(name: string): boolean {
  return name.length > PARAM_PREFIX.length && name.slice(0, PARAM_PREFIX.length).toLowerCase() === PARAM_PREFIX;
}

/** Without the blanks that may surround a value (RFC 9110, 5.5). */
function trimmed(value: string): string {
  const first = value.charCodeAt(0);
  const last = value.charCodeAt(value.length - 1);
  return first > 0x20 && last > 0x20 ? value : value.replace(/^[ \t]+|[ \t]+$/g, '');
}
