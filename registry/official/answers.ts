import { McpdError } from '../../src/errors.ts';
import {
  REGISTRY_CURSOR_CHARS_MAX,
  REGISTRY_PAGE_ENTRIES_MAX,
  REGISTRY_TEXT_CHARS_MAX,
} from '../../src/registry-limits.ts';
import { isPublishedName, isPublishedVersion } from './names.ts';

/** What a registry answers, as far as mcpd needs it. Nothing of it is trusted: names and versions are checked, the rest is text. Pure. */

type ListingStatus = 'active' | 'deprecated' | 'deleted';

/** One version of one server, as a registry lists it. */
export interface Listing {
  name: string;
  version: string;
  status: ListingStatus;
  /** Why it is deprecated or deleted, if the registry says so; null otherwise. Not safe to show. */
  statusMessage: string | null;
  /** Milliseconds since 1970; null where the registry does not say. */
  publishedAt: number | null;
  /** The registry calls it the newest. */
  isLatest: boolean;
  /** Its `server.json`, as it came. */
  server: Record<string, unknown>;
}

export interface Page {
  listings: Listing[];
  /** Null at the end. */
  nextCursor: string | null;
  /** Entries whose name or version cannot be one. */
  passedOver: number;
}

/** @throws {McpdError} FETCH_FAILED */
export function readPage(body: unknown, where: string): Page {
  const servers = membersOf(body)?.['servers'];
  if (!Array.isArray(servers)) throw odd(where, 'a list of servers');
  const read = servers.slice(0, REGISTRY_PAGE_ENTRIES_MAX).map(listingOf);
  const listings = read.filter((listing) => listing !== null);
  return { listings, nextCursor: cursorOf(body, where), passedOver: servers.length - listings.length };
}

/** @throws {McpdError} FETCH_FAILED, also when it is another server or version than the one that was asked for (null: any version) */
export function readListing(body: unknown, asked: { name: string; version: string | null }, where: string): Listing {
  const listing = listingOf(body);
  if (listing === null) throw odd(where, 'a server');
  const isAsked = listing.name === asked.name && (asked.version === null || listing.version === asked.version);
  if (isAsked) return listing;
  throw new McpdError('FETCH_FAILED', {
    what: `${where} answered with another server than the one that was asked for`,
    why: `${listing.name} ${listing.version} in the place of ${asked.name} ${asked.version ?? ''}`.trimEnd(),
    fix: 'tell whoever runs that registry',
  });
}

/** Newest first: what the registry calls the newest, then by the day of publishing; what it does not say stays in its order. */
export function newestFirst(listings: readonly Listing[]): Listing[] {
  return [...listings].sort((one, other) => {
    if (one.isLatest !== other.isLatest) return one.isLatest ? -1 : 1;
    return one.publishedAt === null || other.publishedAt === null ? 0 : other.publishedAt - one.publishedAt;
  });
}

/** What a registry says with a refusal: a member `error`, `message`, `detail` or `title`, or the text itself unless it is a page. */
export function refusalOf(text: string): string | null {
  const parsed = jsonOf(text);
  if (typeof parsed === 'string') return parsed;
  const members = membersOf(parsed);
  if (members === null) return /^\s*</.test(text) || text.trim() === '' ? null : text.trim();
  for (const name of ['error', 'message', 'detail', 'title']) {
    const said = members[name];
    if (typeof said === 'string' && said.trim() !== '') return said.trim();
    const inner = membersOf(said)?.['message'];
    if (typeof inner === 'string') return inner.trim();
  }
  return null;
}

// — internal —

/** Where a registry keeps what it says of an entry itself. */
const OWN_META = 'io.modelcontextprotocol.registry/official';

type Members = Record<string, unknown>;

function membersOf(value: unknown): Members | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : null;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a refusal may be any text
  }
}

/** Both spellings; absent, null and empty are the end. */
function cursorOf(body: unknown, where: string): string | null {
  const metadata = membersOf(membersOf(body)?.['metadata']);
  const cursor = metadata?.['nextCursor'] ?? metadata?.['next_cursor'];
  if (typeof cursor !== 'string' || cursor === '') return null;
  if (cursor.length <= REGISTRY_CURSOR_CHARS_MAX) return cursor;
  throw new McpdError('FETCH_FAILED', { what: `${where} answered with a cursor of ${cursor.length} letters` });
}

/** Older registries give the server itself, without an envelope. Null when it has no name or version that can be one. */
function listingOf(value: unknown): Listing | null {
  const entry = membersOf(value);
  const server = membersOf(entry?.['server']) ?? entry;
  const [name, version] = [server?.['name'], server?.['version']];
  if (server === null || typeof name !== 'string' || typeof version !== 'string') return null;
  if (!isPublishedName(name) || !isPublishedVersion(version)) return null;
  const own = membersOf(membersOf(entry?.['_meta'])?.[OWN_META]) ?? membersOf(membersOf(server['_meta'])?.[OWN_META]);
  // Until 2025-09-29 the status stood in the document itself.
  const status = textOf(own?.['status']) ?? textOf(server['status']) ?? 'active';
  const message = textOf(own?.['statusMessage']) ?? textOf(own?.['status_message']);
  return {
    name,
    version,
    ...statusOf(status, message),
    publishedAt: timeOf(own?.['publishedAt'] ?? own?.['published_at']),
    isLatest: (own?.['isLatest'] ?? own?.['is_latest']) === true,
    server,
  };
}

/** A word that is not known is no reason to trust it more: it is shown as a deprecation is. */
function statusOf(status: string, message: string | null): Pick<Listing, 'status' | 'statusMessage'> {
  if (status === 'active') return { status, statusMessage: null };
  if (status === 'deprecated' || status === 'deleted') return { status, statusMessage: message };
  return { status: 'deprecated', statusMessage: `the registry calls it "${status.slice(0, 40)}"` };
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value.trim() !== '' ? value.trim().slice(0, REGISTRY_TEXT_CHARS_MAX) : null;
}

function timeOf(value: unknown): number | null {
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? null : at;
}

function odd(where: string, expected: string): McpdError {
  return new McpdError('FETCH_FAILED', {
    what: `${where} did not answer as an MCP registry`,
    why: `its answer is not ${expected}`,
    fix: 'which registries are asked: mcpd registries',
  });
}
