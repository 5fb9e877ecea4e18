import { expect, test } from 'vitest';
import { edited } from './input.ts';
import {
  createdTask,
  exposeEdit,
  listedTasks,
  parsedTaskId,
  readTask,
  relatedTaskId,
  requiresTask,
  speaksOfTasks,
  taskSupportIn,
  unexposeEdits,
  withoutRelatedTask,
} from './tasks.ts';

const KEY = 'io.modelcontextprotocol/';
const whole = (bytes: Uint8Array) => ({ start: 0, end: bytes.length });

test('an id that hosts see is parted at the first mark, and one without a server’s name is none', () => {
  expect(parsedTaskId('github~a~b')).toEqual({ server: 'github', raw: 'a~b' });
  expect(parsedTaskId('github~')).toEqual({ server: 'github', raw: '' });
  for (const odd of ['', '~', '~a', 'a']) expect(parsedTaskId(odd), odd).toBeNull();
});

test.each(['"t1"', '"é\\u00e9\\n"', '"\\ud800"', '"~"', '""'])('the id %s goes to hosts and back', (id) => {
  const bytes = Buffer.from(`{ "status":"working", "taskId" : ${id},"x":1.0}`);
  const view = readTask(bytes, whole(bytes));
  if (view === null) throw new RangeError('no task');
  const out = Buffer.from(edited(bytes, whole(bytes), [exposeEdit(view.id, 'mine')]));
  const exposed = readTask(out, whole(out));
  if (exposed === null) throw new RangeError('no task any more');
  expect(parsedTaskId(exposed.raw)).toEqual({ server: 'mine', raw: view.raw });
  const back = edited(out, whole(out), unexposeEdits(out, exposed.id, 'mine'));
  expect(JSON.parse(back)).toEqual(JSON.parse(bytes.toString()));
  expect(unexposeEdits(out, exposed.id, 'another')).toEqual([]);
});

test('both eras write a task, and what is no number is none', () => {
  const read = (json: string) => readTask(Buffer.from(json), { start: 0, end: json.length });
  expect(read('{"taskId":"t","status":"working","ttl":5,"pollInterval":7}')).toMatchObject({ ttlMs: 5, pollMs: 7 });
  expect(read('{"taskId":"t","ttlMs":5,"pollIntervalMs":7}')).toMatchObject({ ttlMs: 5, pollMs: 7, status: '' });
  expect(read('{"taskId":"t","ttl":null,"pollInterval":-1}')).toMatchObject({ ttlMs: null, pollMs: null });
  for (const odd of ['{}', '[]', '{"taskId":7}', '7']) expect(read(odd), odd).toBeNull();
});

test('a result is a task by its member, or by its type', () => {
  const created = (json: string) => createdTask(Buffer.from(json), { start: 0, end: json.length })?.raw;
  expect(created('{"task":{"taskId":"t"}}')).toBe('t');
  expect(created('{"resultType":"task","taskId":"t"}')).toBe('t');
  for (const plain of ['{"taskId":"t"}', '{"resultType":"complete","taskId":"t"}', '{"task":7}', '{}'])
    expect(created(plain), plain).toBeUndefined();
  const list = Buffer.from('{"tasks":[{"taskId":"a"},7,{"taskId":"b"},{"taskId":"c"}]}');
  expect(listedTasks(list, whole(list), 3).map(({ task }) => task.raw)).toEqual(['a', 'b']);
});

test('what names its task can be found, and left out', () => {
  const bytes = Buffer.from(`{"a":1,"_meta":{"x":1.0,"${KEY}related-task":{"taskId":"t"},"y":2}}`);
  expect(relatedTaskId(bytes, whole(bytes))?.raw).toBe('t');
  expect(edited(bytes, whole(bytes), withoutRelatedTask(bytes, whole(bytes)))).toBe('{"a":1,"_meta":{"x":1.0,"y":2}}');
  const plain = Buffer.from('{"_meta":{"x":1}}');
  expect(relatedTaskId(plain, whole(plain))).toBeNull();
  expect(withoutRelatedTask(plain, whole(plain))).toEqual([]);
});

test('a tool says whether it can be a task, and a description says nothing', () => {
  expect(requiresTask('{"name":"a","execution":{"taskSupport":"required"}}')).toBe(true);
  expect(requiresTask('{"name":"a","execution":{ "taskSupport" : "optional" }}')).toBe(false);
  expect(requiresTask('{"name":"a","_meta":{"taskSupport":"required"}}')).toBe(false);
  expect(speaksOfTasks('{"name":"a","execution":{"taskSupport":"forbidden"}}')).toBe(false);
});

test.each([
  [{}, { calls: false, list: false, extension: false }],
  [{ tasks: { list: {}, requests: { tools: { call: {} } } } }, { calls: true, list: true, extension: false }],
  [{ tasks: { requests: { tools: null } } }, { calls: false, list: false, extension: false }],
  [{ extensions: { [`${KEY}tasks`]: {} } }, { calls: false, list: false, extension: true }],
  [
    { tasks: 7, extensions: [] },
    { calls: false, list: false, extension: false },
  ],
])('of the capabilities %j is read what a server has of tasks', (capabilities, support) => {
  expect(taskSupportIn(capabilities)).toEqual(support);
});
