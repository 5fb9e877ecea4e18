import { McpServer } from '@modelcontextprotocol/server';
import { VERSION } from '../serve.ts';
import { announcing } from './announce.ts';
import type { TodoList } from './list.ts';
import { registerResources } from './resources.ts';
import { registerSuggestions } from './suggest.ts';
import { registerTools } from './tools.ts';

/** Lists never change while a server runs; what they lead to does. */
const LIST_TTL_MS = 24 * 60 * 60 * 1000;
const LISTS = { ttlMs: LIST_TTL_MS, cacheScope: 'public' } as const;
/** A suggestion waits for a person who may have to allow it. */
const SAMPLING_TIMEOUT_MS = 5 * 60 * 1000;

/** A todo list for one connection; several may share the list. */
export function createTodoServer(
  list: TodoList,
  connection: { era: 'legacy' | 'modern'; startedAt: string },
): McpServer {
  const server = new McpServer(
    { name: 'todo', title: 'Todo list', version: VERSION },
    {
      capabilities: {
        tools: { listChanged: false },
        prompts: { listChanged: false },
        resources: { subscribe: true, listChanged: false },
      },
      cacheHints: {
        'tools/list': LISTS,
        'prompts/list': LISTS,
        'resources/list': LISTS,
        'resources/templates/list': LISTS,
      },
      inputRequired: { roundTimeoutMs: SAMPLING_TIMEOUT_MS },
    },
  );
  registerTools(server, list, announcing(server, connection.era));
  registerSuggestions(server, list);
  registerResources(server, list, connection.startedAt);
  return server;
}
