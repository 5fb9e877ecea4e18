import { CHECKUP_ANSWER_MS, CHECKUP_ENTRIES_MAX, CHECKUP_PAGES_MAX } from '../checkup-limits.ts';
import { LIST_KINDS, type ListKind } from '../core/model.ts';
import type { SeenList, SeenLists } from '../install/checkup.ts';
import type { ServerGreeting } from '../protocol/handshake.ts';
import { LISTS } from '../protocol/methods.ts';
import type { CheckupProcess } from './checkup-process.ts';

/** Reads the lists that a server declares, as it sends them: nothing is repaired. */
export async function readLists(
  checked: CheckupProcess,
  { capabilities }: ServerGreeting,
  paramsJson: string | null,
): Promise<SeenLists['lists']> {
  const lists = noLists();
  for (const kind of LIST_KINDS)
    if (capabilities[LISTS[kind].capability] !== undefined) lists[kind] = await readList(checked, kind, paramsJson);
  return lists;
}

export function noLists(): Record<ListKind, SeenList> {
  const none: SeenList = { entries: [], fault: null };
  return { tools: none, prompts: none, resources: none, templates: none };
}

// — internal —

async function readList(checked: CheckupProcess, kind: ListKind, paramsJson: string | null): Promise<SeenList> {
  const { method, member } = LISTS[kind];
  const entries: string[] = [];
  const cursors = new Set<string>();
  const broken = (why: string): SeenList => ({ entries, fault: `${method}: ${why}` });
  let params = paramsJson;
  for (let page = 0; page < CHECKUP_PAGES_MAX; page++) {
    const answer = await checked.ask(method, params, CHECKUP_ANSWER_MS);
    if (answer.kind === 'silence') return broken(`no answer within ${CHECKUP_ANSWER_MS / 1000} s`);
    if (answer.kind === 'gone') return broken(answer.cause);
    // Servers that declare resources need not have templates.
    if (answer.kind === 'error')
      return kind === 'templates' && answer.code === -32601 ? { entries, fault: null } : broken(`error ${answer.code}`);
    const { [member]: found, nextCursor } = (answer.result ?? {}) as Record<string, unknown>;
    if (!Array.isArray(found)) return broken(`its result has no array "${member}"`);
    entries.push(...found.map((entry) => JSON.stringify(entry)));
    if (entries.length > CHECKUP_ENTRIES_MAX) return broken(`more than ${CHECKUP_ENTRIES_MAX} entries`);
    if (typeof nextCursor !== 'string') return { entries, fault: null };
    if (cursors.has(nextCursor)) return broken('it gives the same page again and again');
    cursors.add(nextCursor);
    params = JSON.stringify({ ...(paramsJson === null ? {} : JSON.parse(paramsJson)), cursor: nextCursor });
  }
  return broken(`more than ${CHECKUP_PAGES_MAX} pages`);
}
