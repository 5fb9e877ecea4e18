import { expect, test } from 'vitest';
import { World } from '../../test/simulated/world.ts';

function given() {
  const world = new World();
  const servers = {
    weather: world.running('weather', { tools: ['get_forecast', 'get_current'], prompts: ['plan'] }),
    notes: world.running('notes', {
      tools: ['add', 'get_current', 'a__b'],
      prompts: ['plan', 'write'],
      resources: ['note://1'],
      templates: ['note://{id}'],
      capabilities: { completions: {} },
    }),
  };
  return { world, servers, host: world.legacyHost('host') };
}

test('an exposed name goes to its server under the raw name, also one with the separator in it', () => {
  const { world, servers, host } = given();
  world.request(host, 'tools/call', { name: 'notes__a__b' });
  expect(world.asked(servers.notes, 'tools/call').params).toEqual({ name: 'a__b' });
  world.request(host, 'prompts/get', { name: 'notes__plan', arguments: { a: '1' } });
  expect(world.asked(servers.notes, 'prompts/get').params).toEqual({ name: 'plan', arguments: { a: '1' } });
});

test('a bare name is accepted while one server alone has it', () => {
  const { world, servers, host } = given();
  world.request(host, 'tools/call', { name: 'get_forecast' });
  expect(world.asked(servers.weather, 'tools/call').params).toEqual({ name: 'get_forecast' });
  expect(world.ask(host, 'tools/call', { name: 'get_current' }).error).toMatchObject({
    code: -32_602,
    message: 'unknown tool "get_current"; several servers have one of that name: notes, weather',
  });
});

test('an unknown name is refused with what is close to it', () => {
  const { world, host } = given();
  const message = (method: string, name: string) => world.ask(host, method, { name }).error?.message;
  expect(message('tools/call', 'weather__get_forcast')).toBe(
    'unknown tool "weather__get_forcast"; close to it: weather__get_forecast, weather__get_current',
  );
  expect(message('prompts/get', 'notes__wriet')).toContain('close to it: notes__write');
  expect(message('tools/call', 'zzzzzzzzzzzzzzzzzzzzzzzzzzz')).toBe('unknown tool "zzzzzzzzzzzzzzzzzzzzzzzzzzz"');
});

test('a name of ten megabytes does not come back in the error', () => {
  const { world, host } = given();
  const { error } = world.ask(host, 'tools/call', { name: 'x'.repeat(10 * 1024 * 1024) });
  expect(error?.message.length).toBeLessThan(1000);
});

test.each([
  ['tools/call', { name: 7 }, 'tools/call needs params.name as a string'],
  ['tools/call', {}, 'tools/call needs params.name as a string'],
  ['prompts/get', { name: null }, 'prompts/get needs params.name as a string'],
  ['resources/read', { uri: {} }, 'resources/read needs params.uri as a string'],
  ['completion/complete', {}, 'completion/complete needs params.ref.type as a string'],
  ['completion/complete', { ref: { type: 'ref/other' } }, 'completion/complete needs params.ref.type as a string'],
  ['resources/unsubscribe', {}, 'resources/unsubscribe needs params.uri as a string'],
])('%s with %j is refused with what it needs', (method, params, message) => {
  const { world, host } = given();
  expect(world.ask(host, method, params).error).toMatchObject({ code: -32_602, message });
});

test.each(['__proto__', 'constructor', 'toString', 'weather__toString', ''])(
  'the name %j is unknown, and nothing more',
  (name) => {
    const { world, host } = given();
    expect(world.ask(host, 'tools/call', { name }).error?.code).toBe(-32_602);
  },
);

test('a tool of a disabled server is refused with the way to enable it; one of an uninstalled server is unknown', () => {
  const { world, host } = given();
  world.install('weather', { tools: ['get_forecast'] }, { enabled: false });
  expect(world.ask(host, 'tools/call', { name: 'weather__get_forecast' }).error).toMatchObject({
    message: 'weather is disabled; to use it: mcpd enable weather',
    data: { reason: 'disabled', fix: 'mcpd enable weather' },
  });
  world.post({ type: 'server-removed', server: 'weather' });
  expect(world.ask(host, 'tools/call', { name: 'weather__get_forecast' }).error?.code).toBe(-32_602);
});

test('completion goes to the server of the prompt or of the template, under the raw name', () => {
  const { world, servers, host } = given();
  const argument = { name: 'x', value: 'y' };
  world.request(host, 'completion/complete', {
    ref: { type: 'ref/prompt', name: 'notes__plan' },
    argument,
    context: {},
  });
  expect(world.asked(servers.notes, 'completion/complete').params).toEqual({
    ref: { type: 'ref/prompt', name: 'plan' },
    argument,
    context: {},
  });
  world.request(host, 'completion/complete', { ref: { type: 'ref/resource', uri: 'note://{id}' }, argument });
  expect(world.asked(servers.notes, 'completion/complete').params).toMatchObject({ ref: { uri: 'note://{id}' } });
});

test('a server without completions completes nothing, is not asked, and is not started for it', () => {
  const { world, servers, host } = given();
  world.install('asleep', { prompts: ['plan'] });
  const modern = world.openHost('modern', 'modern');
  for (const name of ['weather__plan', 'asleep__plan'])
    for (const asking of [host, modern])
      expect(world.ask(asking, 'completion/complete', { ref: { type: 'ref/prompt', name } }).result).toMatchObject({
        completion: { values: [] },
        ...(asking === modern ? { resultType: 'complete' } : {}),
      });
  expect(servers.weather.received).toEqual([]);
  expect(world.status('asleep').state).toBe('stopped');
});

test('a resource goes to the server that lists it, to one whose template fits, or is unknown', () => {
  const { world, servers, host } = given();
  for (const uri of ['note://1', 'note://77', 'note://not/listed']) {
    world.request(host, 'resources/read', { uri });
    expect(world.asked(servers.notes, 'resources/read').params).toEqual({ uri });
  }
  expect(world.ask(host, 'resources/read', { uri: 'gopher://x' }).error).toMatchObject({
    code: -32_602,
    message: expect.stringContaining('unknown resource "gopher://x"; no installed server lists it'),
  });
});

test('a server that is started by hand only is not started by a call', () => {
  const { world, host } = given();
  world.install('tool', { tools: ['x'] }, { start: 'manual' });
  expect(world.ask(host, 'tools/call', { name: 'tool__x' }).error).toMatchObject({
    message: expect.stringContaining('mcpd start tool'),
    data: { reason: 'manual', sent: false },
  });
  expect(world.status('tool')).toMatchObject({ state: 'stopped', wanted: 'down', wantedReason: 'manual' });
  world.post({ type: 'command', server: 'tool', command: 'start' });
  const key = world.request(host, 'tools/call', { name: 'tool__x' });
  world.serverAnswers(world.ready('tool', { tools: ['x'] }), 'tools/call', { result: {} });
  expect(world.answerTo(host, key).result).toEqual({});
});

test('a host that sees one server alone uses its own names and URIs, and what it does not know it says itself', () => {
  const { world, servers } = given();
  const door = { scope: { kind: 'server', server: 'notes' } } as const;
  const host = world.legacyHost('scoped', {}, door);
  for (const name of ['add', 'never_listed', 'weather__get_current']) {
    world.request(host, 'tools/call', { name });
    expect(world.asked(servers.notes, 'tools/call').params).toEqual({ name });
  }
  for (const uri of ['note://1', 'note://1#mcpd=notes', 'other://x']) {
    world.request(host, 'resources/read', { uri });
    expect(world.asked(servers.notes, 'resources/read').params).toEqual({ uri });
  }
  world.request(host, 'completion/complete', { ref: { type: 'ref/prompt', name: 'write' }, argument: {} });
  expect(world.asked(servers.notes, 'completion/complete').params).toMatchObject({ ref: { name: 'write' } });
});

test('its server may be disabled or gone: then it says so', () => {
  const { world } = given();
  const host = world.legacyHost('scoped', {}, { scope: { kind: 'server', server: 'notes' } });
  const { definition } = world.gateway.view.servers.get('notes') ?? {};
  if (definition === undefined) return;
  world.post({ type: 'server-defined', definition: { ...definition, enabled: false }, memory: null });
  expect(world.ask(host, 'tools/call', { name: 'add' }).error?.data).toMatchObject({ reason: 'disabled' });
  world.post({ type: 'server-removed', server: 'notes' });
  expect(world.ask(host, 'tools/call', { name: 'add' }).error?.data).toMatchObject({ reason: 'unknown-server' });
  expect(world.ask(host, 'tools/list').result).toEqual({ tools: [] });
});
