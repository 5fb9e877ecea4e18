import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { ResumeFacts } from '../../src/core/events.ts';
import type { ListKind } from '../../src/core/model.ts';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import { World } from '../../test/simulated/world.ts';

/** The digests of the lists that a host has seen, as its shim keeps them. */
function digests(world: World, host: SimulatedHost, ...lists: ListKind[]): ResumeFacts['listDigests'] {
  const entries = lists.map((list) => {
    world.request(host, list === 'templates' ? 'resources/templates/list' : `${list}/list`);
    const result = /"result":(.*)\}\n$/s.exec(host.lines.at(-1) ?? '')?.[1] ?? '';
    return [list, createHash('sha256').update(result).digest('hex')];
  });
  return Object.fromEntries(entries) as ResumeFacts['listDigests'];
}

const LEGACY: ResumeFacts = {
  initializeParams: '{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"itself","version":"2"}}',
  protocolVersion: '2025-06-18',
  initialized: true,
  logLevel: 'warning',
  era: 'legacy',
  listDigests: {},
};
const MODERN: ResumeFacts = { ...LEGACY, initializeParams: null, protocolVersion: null, logLevel: null, era: 'modern' };

/** What a host saw of an earlier daemon that had one server. */
function before(era: 'legacy' | 'modern') {
  const world = new World();
  world.install('fake', { tools: ['a'], prompts: ['p'] });
  const host = era === 'legacy' ? world.legacyHost('old') : world.openHost('old', era);
  return digests(world, host, 'tools', 'prompts', 'resources', 'templates');
}

test('a resumed session goes on as it was: revision, name, log level, and no second initialize', () => {
  const world = new World();
  const process = world.running('fake', { tools: ['a'] });
  const host = world.openHost('s9', 'legacy', LEGACY, '');
  expect(world.gateway.sessions()[0]).toMatchObject({ host: 'itself', era: 'legacy', protocolVersion: '2025-06-18' });
  world.request(host, 'tools/call', { name: 'fake__a' });
  world.serverNotifies(process, 'notifications/message', { level: 'info', data: 1 });
  world.serverNotifies(process, 'notifications/message', { level: 'error', data: 2 });
  expect(host.notices.map(({ params }) => params?.['data'])).toEqual([2]);
});

test('a resumed host is told of the lists that differ from what it saw, and of no others', () => {
  const world = new World();
  world.install('fake', { tools: ['a', 'b'], prompts: ['p'] });
  const listDigests = before('legacy');
  const host = world.openHost('s9', 'legacy', { ...LEGACY, listDigests });
  expect(host.notices.map(({ method }) => method)).toEqual(['notifications/tools/list_changed']);
  world.advance(5000);
  expect(host.notices).toHaveLength(1);
});

test('a resumed host that saw these very lists is told nothing', () => {
  const world = new World();
  world.install('fake', { tools: ['a'], prompts: ['p'] });
  const host = world.openHost('s9', 'legacy', { ...LEGACY, listDigests: before('legacy') });
  world.advance(5000);
  expect(host.notices).toEqual([]);
});

test('a resumed host that has asked for no list, or is not initialized yet, is told nothing', () => {
  const world = new World();
  world.install('fake', { tools: ['a', 'b'] });
  const unasked = world.openHost('s1', 'legacy', LEGACY);
  const early = world.openHost('s2', 'legacy', { ...LEGACY, initialized: false, listDigests: before('legacy') });
  world.advance(5000);
  expect([unasked.notices, early.notices]).toEqual([[], []]);
});

test('a resumed modern host is told on the listen that its shim opens again, whenever that comes', () => {
  const world = new World();
  world.install('fake', { tools: ['a', 'b'], prompts: ['p'] });
  const host = world.openHost('s9', 'modern', { ...MODERN, listDigests: before('modern') });
  world.advance(5000);
  expect(host.notices).toEqual([]);
  expect(world.gateway.sessions()[0]).toMatchObject({ era: 'modern', protocolVersion: '2026-07-28' });
  world.request(host, 'subscriptions/listen', { notifications: { promptsListChanged: true } }, 'prompts');
  world.request(host, 'subscriptions/listen', { notifications: { toolsListChanged: true } }, 'tools');
  world.request(host, 'subscriptions/listen', { notifications: { toolsListChanged: true } }, 'more');
  expect(host.notices.map(({ method }) => method?.replace('notifications/', ''))).toEqual([
    'subscriptions/acknowledged',
    'subscriptions/acknowledged',
    'tools/list_changed',
    'subscriptions/acknowledged',
  ]);
});

test('a change after the resume is told like any other', () => {
  const world = new World();
  world.install('fake', { tools: ['a'], prompts: ['p'] });
  const host = world.openHost('s9', 'legacy', { ...LEGACY, listDigests: before('legacy') });
  world.install('more', { tools: ['b'] });
  world.advance(60);
  expect(host.notices.map(({ method }) => method)).toEqual(['notifications/tools/list_changed']);
});
