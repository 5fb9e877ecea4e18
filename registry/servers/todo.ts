import { resolve } from 'node:path';
import { serve } from './serve.ts';
import { TodoList } from './todo/list.ts';
import { createTodoServer } from './todo/server.ts';

// What somebody has to do is nobody else's business.
process.umask(0o077);

const file = process.env['TODO_DB'];
const list = new TodoList(resolve(file === undefined || file === '' ? 'todo.db' : file));
const startedAt = new Date().toISOString();
serve(({ era }) => createTodoServer(list, { era, startedAt }));
