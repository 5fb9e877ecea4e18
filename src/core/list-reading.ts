import { LIST_BYTES_MAX, LIST_ENTRIES_MAX, LIST_PAGES_MAX, LIST_TIMEOUT_MS } from '../limits.ts';
import { join } from '../protocol/bytes.ts';
import type { Frame, Span } from '../protocol/frame.ts';
import { elements, jsonString, member, text } from '../protocol/members.ts';
import { LISTS } from '../protocol/methods.ts';
import { ask, type LinkNews, NO_NEWS, ownMeta } from './asking.ts';
import { arm, disarm, find, log } from './emit.ts';
import { checkEntry } from './entries.ts';
import { LIST_KINDS, type ListKind } from './model.ts';
import type { Core, Instance, ListReading, ReadCause, ServerLink } from './state.ts';

/** Reads the lists of a server, page by page, within limits; an odd entry, page or cursor costs no more than itself. */

/** Reads one list again from its first page; a reading that is under way starts over. */
export function readList(core: Core, instance: Instance, link: ServerLink, list: ListKind, cause: ReadCause): void {
  for (const [id, pending] of link.pending)
    if (pending.kind === 'list' && pending.list === list) link.pending.set(id, { kind: 'ignored' });
  link.reading.set(list, { entries: [], bytes: 0, pages: 0, cursors: new Set(), keys: new Set(), findings: [], cause });
  askPage(core, instance, link, list, null);
}

/** A list page was not answered in time. */
export function onListSilence(core: Core, instance: Instance, link: ServerLink, list: ListKind): LinkNews {
  for (const [id, pending] of link.pending)
    if (pending.kind === 'list' && pending.list === list) link.pending.set(id, { kind: 'ignored' });
  return endReading(
    core,
    instance,
    link,
    list,
    `${LISTS[list].method} was not answered within ${LIST_TIMEOUT_MS / 1000} s`,
  );
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
  if (frame.envelope.kind !== 'result') {
    const why = frame.envelope.kind === 'error' ? text(bytes, frame.envelope.error).slice(0, 300) : 'no result';
    return endReading(core, instance, link, list, `${LISTS[list].method} failed: ${why}`);
  }
  const page = member(bytes, frame.envelope.result, LISTS[list].member);
  if (page === null || bytes[page.start] !== 0x5b) {
    return endReading(
      core,
      instance,
      link,
      list,
      `${LISTS[list].method} answered without an array of ${LISTS[list].member}`,
    );
  }
  reading.pages += 1;
  takeEntries(list, reading, bytes, elements(bytes, page));
  const next = member(bytes, frame.envelope.result, 'nextCursor');
  const cursor = next === null || jsonString(bytes, next) === null ? null : text(bytes, next);
  if (cursor === null) return endReading(core, instance, link, list, null);
  const stop = pagingStop(list, reading, cursor);
  if (stop !== null) {
    reading.findings.push(stop);
    return endReading(core, instance, link, list, null);
  }
  reading.cursors.add(cursor);
  askPage(core, instance, link, list, cursor);
  return NO_NEWS;
}

// — internal —

function askPage(core: Core, instance: Instance, link: ServerLink, list: ListKind, cursor: string | null): void {
  const cursorMember = cursor === null ? '' : `"cursor":${cursor}`;
  const meta = link.era === 'modern' ? `"_meta":${ownMeta(core)}` : '';
  const params = [cursorMember, meta].filter((part) => part !== '').join(',');
  ask(core, instance, link, { kind: 'list', list }, LISTS[list].method, params === '' ? null : `{${params}}`);
  arm(core, `list:${instance.key}/${list}`, LIST_TIMEOUT_MS);
}

function takeEntries(list: ListKind, reading: ListReading, bytes: Uint8Array, spans: readonly Span[]): void {
  for (const span of spans) {
    const { raw, key, finding } = checkEntry(list, text(bytes, span));
    if (finding !== null) reading.findings.push(finding);
    if (raw === null || key === null) continue;
    if (reading.keys.has(key)) {
      reading.findings.push(`${key}: listed twice, the first one counts`);
      continue;
    }
    if (reading.entries.length >= LIST_ENTRIES_MAX || reading.bytes + raw.length > LIST_BYTES_MAX) {
      reading.findings.push(
        `${LISTS[list].method} is cut at ${LIST_ENTRIES_MAX} entries or ${LIST_BYTES_MAX / 1024 / 1024} MiB`,
      );
      return;
    }
    reading.keys.add(key);
    reading.entries.push(raw);
    reading.bytes += raw.length;
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

function endReading(
  core: Core,
  instance: Instance,
  link: ServerLink,
  list: ListKind,
  failure: string | null,
): LinkNews {
  disarm(core, `list:${instance.key}/${list}`);
  const reading = link.reading.get(list);
  link.reading.delete(list);
  if (reading === undefined) return NO_NEWS;
  if (failure !== null) {
    find(core, instance, `list-failed:${list}`, failure);
    if (list === 'tools' && instance.purpose.kind === 'trial')
      return { kind: 'refused', step: 'list', reason: failure };
    // What is cached stays valid: a list that could not be read is not an empty one.
    if (instance.purpose.kind === 'trial')
      link.read.set(list, { entries: [], findings: [failure], cause: reading.cause });
    return { kind: 'listed', list };
  }
  instance.findings.delete(`list-failed:${list}`);
  for (const finding of reading.findings.slice(0, 5)) log(core, instance, 'warn', finding);
  link.read.set(list, { entries: reading.entries, findings: dedupe(reading.findings), cause: reading.cause });
  return { kind: 'listed', list };
}

function dedupe(findings: readonly string[]): string[] {
  return [...new Set(findings)];
}
