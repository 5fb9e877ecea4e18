import { LIST_BYTES_MAX, LIST_ENTRIES_MAX, LIST_PAGES_MAX, LIST_TIMEOUT_MS } from '../limits.ts';
import { join } from '../protocol/bytes.ts';
import type { Frame, Span } from '../protocol/frame.ts';
import { METHOD_NOT_FOUND } from '../protocol/jsonrpc.ts';
import { elements, jsonString, member, text } from '../protocol/members.ts';
import { LISTS } from '../protocol/methods.ts';
import { errorCodeOf } from '../protocol/results.ts';
import { abandonOwn, ask, type LinkNews, NO_NEWS, ownMeta } from './asking.ts';
import { arm, disarm, find, log } from './emit.ts';
import { checkEntry } from './entries.ts';
import { Findings } from './findings.ts';
import { LIST_KINDS, type ListKind } from './model.ts';
import type { Core, Instance, ListReading, ReadCause, ServerLink } from './state.ts';

/** Reads the lists of a server, page by page, within limits; an odd entry, page or cursor costs no more than itself. */

/** Findings of one reading that go to the log too. */
const FINDINGS_LOGGED = 5;

/** Reads one list from its first page; a reading that is under way starts over. */
export function readList(core: Core, instance: Instance, link: ServerLink, list: ListKind, cause: ReadCause): void {
  abandonPages(link, list);
  link.reading.set(list, {
    entries: [],
    bytes: 0,
    pages: 0,
    cursors: new Set(),
    keys: new Set(),
    findings: new Findings(),
    cause,
  });
  askPage(core, instance, link, list, null);
}

/** A list page was not answered in time. */
export function onListSilence(core: Core, instance: Instance, link: ServerLink, list: ListKind): LinkNews {
  abandonPages(link, list);
  return onListFailure(core, instance, link, list, `not answered within ${LIST_TIMEOUT_MS / 1000} s`);
}

/** A list could not be read to its end. What is cached stays valid: it is not an empty one. */
export function onListFailure(core: Core, instance: Instance, link: ServerLink, list: ListKind, why: string): LinkNews {
  const reading = link.reading.get(list);
  if (reading === undefined) return NO_NEWS;
  endReading(core, instance, link, list);
  const failure = `${LISTS[list].method} failed: ${why}`;
  find(core, instance, `list-failed:${list}`, failure);
  if (instance.purpose.kind !== 'serve') {
    // A comparison with a list that is not there would say that it is empty.
    if (list === 'tools' || instance.purpose.kind === 'compare')
      return { kind: 'refused', step: 'list', reason: failure };
    link.read.set(list, { entries: [], findings: [failure] });
  }
  return { kind: 'listed', list, cause: reading.cause, failed: true };
}

/** The lists that a server declares; the others are empty without asking. */
export function declaredLists(link: ServerLink): ListKind[] {
  return LIST_KINDS.filter((kind) => link.capabilities[LISTS[kind].capability] !== undefined);
}

/** One page came. */
export function onListPage(core: Core, instance: Instance, link: ServerLink, list: ListKind, frame: Frame): LinkNews {
  const reading = link.reading.get(list);
  if (reading === undefined) return NO_NEWS;
  const bytes = join(frame.bytes);
  if (frame.envelope.kind === 'error') {
    // Templates have no capability of their own: a server with resources need not know the method.
    if (list === 'templates' && errorCodeOf(bytes, frame.envelope.error) === METHOD_NOT_FOUND)
      return concludeReading(core, instance, link, list, reading);
    return onListFailure(core, instance, link, list, text(bytes, frame.envelope.error).slice(0, 300));
  }
  if (frame.envelope.kind !== 'result') return NO_NEWS;
  const page = member(bytes, frame.envelope.result, LISTS[list].member);
  if (page === null || bytes[page.start] !== OPEN_ARRAY)
    return onListFailure(core, instance, link, list, `its answer has no array of ${LISTS[list].member}`);
  reading.pages += 1;
  takeEntries(list, reading, bytes, elements(bytes, page));
  const next = member(bytes, frame.envelope.result, 'nextCursor');
  const cursor = next === null || jsonString(bytes, next) === null ? null : text(bytes, next);
  if (cursor === null) return concludeReading(core, instance, link, list, reading);
  const stop = pagingStop(list, reading, cursor);
  if (stop !== null) {
    reading.findings.add(stop);
    return concludeReading(core, instance, link, list, reading);
  }
  reading.cursors.add(cursor);
  askPage(core, instance, link, list, cursor);
  return NO_NEWS;
}

// — internal —

const OPEN_ARRAY = 0x5b;

function abandonPages(link: ServerLink, list: ListKind): void {
  abandonOwn(link, (own) => own.kind === 'list' && own.list === list);
}

function askPage(core: Core, instance: Instance, link: ServerLink, list: ListKind, cursor: string | null): void {
  const cursorMember = cursor === null ? '' : `"cursor":${cursor}`;
  const meta = link.era === 'modern' ? `"_meta":${ownMeta(core)}` : '';
  const params = [cursorMember, meta].filter((part) => part !== '').join(',');
  ask(core, instance, link, { kind: 'list', list }, LISTS[list].method, params === '' ? null : `{${params}}`);
  arm(core, `list:${instance.key}/${list}`, LIST_TIMEOUT_MS);
}

function takeEntries(list: ListKind, reading: ListReading, bytes: Uint8Array, spans: readonly Span[]): void {
  for (const span of spans) {
    if (reading.entries.length >= LIST_ENTRIES_MAX || reading.bytes + (span.end - span.start) > LIST_BYTES_MAX) {
      const size = `${LIST_ENTRIES_MAX} entries or ${LIST_BYTES_MAX / 1024 / 1024} MiB`;
      reading.findings.add(`the list is cut at ${size}`);
      return;
    }
    const { raw, key, finding } = checkEntry(list, text(bytes, span));
    if (finding !== null) reading.findings.add(finding);
    if (raw === null || key === null) continue;
    if (reading.keys.has(key)) {
      reading.findings.add(`${key}: listed twice, the first one counts`);
      continue;
    }
    reading.keys.add(key);
    reading.entries.push(raw);
    reading.bytes += span.end - span.start;
  }
}

/** Why no further page is asked for, or null. */
function pagingStop(list: ListKind, reading: ListReading, cursor: string): string | null {
  const { method } = LISTS[list];
  if (reading.cursors.has(cursor))
    return `${method} repeats its cursor ${cursor.slice(0, 60)}: paging stopped after ${reading.pages} pages`;
  if (reading.pages >= LIST_PAGES_MAX) return `${method} has more than ${LIST_PAGES_MAX} pages: the rest is not listed`;
  if (reading.entries.length >= LIST_ENTRIES_MAX)
    return `${method} has more than ${LIST_ENTRIES_MAX} entries: the rest of its pages is not listed`;
  return null;
}

function concludeReading(
  core: Core,
  instance: Instance,
  link: ServerLink,
  list: ListKind,
  reading: ListReading,
): LinkNews {
  endReading(core, instance, link, list);
  instance.findings.delete(`list-failed:${list}`);
  const findings = reading.findings.all;
  for (const finding of findings.slice(0, FINDINGS_LOGGED)) log(core, instance, 'warn', finding);
  link.read.set(list, { entries: reading.entries, findings });
  return { kind: 'listed', list, cause: reading.cause, failed: false };
}

function endReading(core: Core, instance: Instance, link: ServerLink, list: ListKind): void {
  disarm(core, `list:${instance.key}/${list}`);
  link.reading.delete(list);
}
