import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { answering } from '../tool-failure.ts';
import type { Announce } from './announce.ts';
import type { TodoList } from './list.ts';
import {
  AddInput,
  IdInput,
  type Item,
  ItemResult,
  ListInput,
  ListResult,
  RemoveResult,
  UpdateInput,
} from './schemas.ts';
import { lineOf, linesOf } from './text.ts';

/** The list is a file of its own: nothing outside is read or changed. */
const CLOSED = { openWorldHint: false };

export function registerTools(server: McpServer, list: TodoList, announce: Announce): void {
  const changed = (text: string, item: Item): CallToolResult => {
    announce(item.id);
    return { content: [{ type: 'text', text: `${text} ${lineOf(item)}` }], structuredContent: { item } };
  };

  server.registerTool(
    'add_todo_item',
    {
      title: 'Add a todo item',
      description: 'Puts something to do on the list.',
      inputSchema: AddInput,
      outputSchema: ItemResult,
      annotations: { destructiveHint: false, idempotentHint: false, ...CLOSED },
    },
    (input) => answering(() => changed('Added', list.add(input))),
  );

  server.registerTool(
    'list_todo_items',
    {
      title: 'List todo items',
      description: 'Shows the list, the most urgent first. Without arguments: all that is open.',
      inputSchema: ListInput,
      outputSchema: ListResult,
      annotations: { readOnlyHint: true, ...CLOSED },
    },
    ({ status, limit }) =>
      answering(() => {
        const { items, total } = list.list(status, limit);
        return {
          content: [{ type: 'text' as const, text: linesOf(items, total) }],
          structuredContent: { items, total },
        };
      }),
  );

  server.registerTool(
    'complete_todo_item',
    {
      title: 'Complete a todo item',
      description: 'Marks an item as done. It stays on the list as such.',
      inputSchema: IdInput,
      outputSchema: ItemResult,
      annotations: { destructiveHint: false, idempotentHint: true, ...CLOSED },
    },
    ({ id }) => answering(() => changed('Done:', list.update(id, { done: true }))),
  );

  server.registerTool(
    'update_todo_item',
    {
      title: 'Change a todo item',
      description: 'Changes the text, priority or day of an item, or opens it again. What is left out stays.',
      inputSchema: UpdateInput,
      outputSchema: ItemResult,
      annotations: { destructiveHint: true, idempotentHint: true, ...CLOSED },
    },
    ({ id, ...changes }) => answering(() => changed('Changed', list.update(id, changes))),
  );

  server.registerTool(
    'remove_todo_item',
    {
      title: 'Remove a todo item',
      description: 'Takes an item off the list for good. Its number is not used again.',
      inputSchema: IdInput,
      outputSchema: RemoveResult,
      annotations: { destructiveHint: true, idempotentHint: false, ...CLOSED },
    },
    ({ id }) =>
      answering(() => {
        const removed = list.remove(id);
        announce(id);
        return {
          content: [{ type: 'text' as const, text: `Removed ${lineOf(removed)}` }],
          structuredContent: { removed },
        };
      }),
  );
}
