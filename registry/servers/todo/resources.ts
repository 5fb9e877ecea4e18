import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server';
import { VERSION } from '../serve.ts';
import { ToolFailure } from '../tool-failure.ts';
import { ITEMS_URI, STATUS_URI } from './announce.ts';
import type { TodoList } from './list.ts';

const JSON_TYPE = 'application/json';
/** Proposals for a number that is being typed: the protocol allows 100. */
const COMPLETIONS_MAX = 100;

export function registerResources(server: McpServer, list: TodoList, startedAt: string): void {
  server.registerResource(
    'items',
    ITEMS_URI,
    {
      title: 'Todo list',
      description: 'All items, the most urgent first. Subscribe to hear of changes.',
      mimeType: JSON_TYPE,
    },
    (uri) => json(uri, list.list('all')),
  );

  server.registerResource(
    'item',
    new ResourceTemplate(`${ITEMS_URI}/{id}`, {
      // Not listed one by one: the list itself is a resource, and every change would be a change of the list of resources.
      list: undefined,
      complete: { id: (typed) => idsBeginningWith(list, typed) },
    }),
    { title: 'Todo item', description: 'One item by its number.', mimeType: JSON_TYPE },
    (uri, { id }) => {
      const item = /^[1-9]\d{0,15}$/.test(String(id)) ? list.find(Number(id)) : undefined;
      if (item === undefined) throw new ResourceNotFoundError(uri.href, `There is no todo item ${String(id)}`);
      return json(uri, item);
    },
  );

  server.registerResource(
    'status',
    STATUS_URI,
    {
      title: 'Status of the todo server',
      description: 'Version, file and counts. Subscribe to hear of changes.',
      mimeType: JSON_TYPE,
    },
    (uri) =>
      json(uri, { name: 'todo', version: VERSION, started_at: startedAt, file: list.file, ...countsOrProblem(list) }),
  );
}

// — internal —

function json(uri: URL, value: unknown) {
  return { contents: [{ uri: uri.href, mimeType: JSON_TYPE, text: JSON.stringify(value, null, 2) }] };
}

function idsBeginningWith(list: TodoList, typed: string): string[] {
  const ids = list.list('all').items.map((item) => String(item.id));
  return ids.filter((id) => id.startsWith(typed)).slice(0, COMPLETIONS_MAX);
}

/** A status must be readable most of all when something is wrong. */
function countsOrProblem(list: TodoList): Record<string, unknown> {
  try {
    return { ok: true, ...list.counts() };
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { ok: false, problem: error.message };
  }
}
