import { expect, test } from 'vitest';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const FAKE: Character = { tools: ['get'], prompts: ['ask'], resources: ['shared://doc', 'own://x'] };

/** Two servers with the same resource. */
function given() {
  const world = new World();
  const process = world.running('b', FAKE);
  world.install('a', { resources: ['shared://doc'] });
  return { world, process, host: world.legacyHost('host') };
}

const doc = { type: 'resource', resource: { uri: 'shared://doc', text: 'shared://doc' } };
const link = { type: 'resource_link', uri: 'shared://doc', name: 'doc' };

test('what is read by a marked URI is answered under it', () => {
  const { world, process, host } = given();
  const key = world.request(host, 'resources/read', { uri: 'shared://doc#mcpd=b' });
  expect(world.asked(process, 'resources/read').params).toEqual({ uri: 'shared://doc' });
  world.serverSends(process, {
    jsonrpc: '2.0',
    id: Number(process.received.at(-1)?.id),
    result: {
      contents: [
        { uri: 'shared://doc', text: 'x' },
        { uri: 'own://x', blob: '' },
      ],
    },
  });
  expect(world.answerTo(host, key).result).toEqual({
    contents: [
      { uri: 'shared://doc#mcpd=b', text: 'x' },
      { uri: 'own://x', blob: '' },
    ],
  });
});

test('links and embedded resources in results of tools and prompts lead to the server they came from', () => {
  const { world, process, host } = given();
  const called = world.request(host, 'tools/call', { name: 'b__get' });
  world.serverAnswers(process, 'tools/call', {
    result: { content: [link, doc, { type: 'text', text: 'shared://doc' }] },
  });
  expect(world.answerTo(host, called).result).toEqual({
    content: [
      { ...link, uri: 'shared://doc#mcpd=b' },
      { ...doc, resource: { ...doc.resource, uri: 'shared://doc#mcpd=b' } },
      { type: 'text', text: 'shared://doc' },
    ],
  });
  const got = world.request(host, 'prompts/get', { name: 'b__ask' });
  world.serverAnswers(process, 'prompts/get', { result: { messages: [{ role: 'user', content: doc }] } });
  expect(world.answerTo(host, got).result).toMatchObject({
    messages: [{ content: { resource: { uri: 'shared://doc#mcpd=b' } } }],
  });
});

test('so do those in the outcome of a task', () => {
  const world = new World();
  const process = world.running('b', {
    ...FAKE,
    capabilities: { tasks: { requests: { tools: { call: {} } } } },
  });
  world.install('a', { resources: ['shared://doc'] });
  const host = world.legacyHost('host');
  const key = world.request(host, 'tasks/result', { taskId: 'b~t1' });
  world.serverAnswers(process, 'tasks/result', { result: { content: [link] } });
  expect(world.answerTo(host, key).result).toEqual({ content: [{ ...link, uri: 'shared://doc#mcpd=b' }] });
  const state = (uri: string) => ({ status: 'completed', result: { content: [{ ...link, uri }] } });
  const asked = world.request(host, 'tasks/get', { taskId: 'b~t1' });
  world.serverAnswers(process, 'tasks/get', { result: { taskId: 't1', ...state('shared://doc') } });
  expect(world.answerTo(host, asked).result).toEqual({ taskId: 'b~t1', ...state('shared://doc#mcpd=b') });
});

test('where no URI is shared nothing is touched', () => {
  const { world, process, host } = given();
  world.post({ type: 'server-removed', server: 'a' });
  const key = world.request(host, 'tools/call', { name: 'b__get' });
  world.serverAnswers(process, 'tools/call', { result: { content: [link, doc] } });
  expect(world.answerTo(host, key).result).toEqual({ content: [link, doc] });
});
