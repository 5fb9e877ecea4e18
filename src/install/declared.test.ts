import { describe, expect, test } from 'vitest';
import { DEFAULT_LIMITS, type ServerDefinition, type ServerSource } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { compareDeclared, readDeclared } from './declared.ts';

const PATH = '/repo/mcpd.json';
const file = (servers: Record<string, unknown>) => readDeclared(PATH, JSON.stringify({ mcpServers: servers }));
const installed = (name: string, source: ServerSource): ServerDefinition => ({
  name,
  description: '',
  launch: { kind: 'stdio', command: 'node', args: [], cwd: null, env: {} },
  start: 'on-demand',
  sharing: 'auto',
  enabled: true,
  limits: DEFAULT_LIMITS,
  source,
  fingerprint: '0'.repeat(64),
  addedAt: 1,
});
const reasonOf = (text: string) => {
  try {
    readDeclared(PATH, text);
  } catch (error) {
    if (error instanceof McpdError && error.code === 'CONFIG_INVALID') return error.parts.why;
    throw error;
  }
  return 'it was accepted';
};

describe('a declared file', () => {
  test('may be a block that was written for a host', () => {
    const read = file({
      'My Server': { command: 'node', args: ['a b'], env: { K: 'v' }, type: 'stdio' },
    });
    expect(read.failed).toEqual([]);
    expect(read.declarations.map(({ name, entry }) => [name, entry.args])).toEqual([['my-server', ['a b']]]);
    expect(read.warnings).toEqual(['my-server is called "My Server" in the file']);
  });

  test('that was cut in the middle is refused with the place', () => {
    expect(reasonOf('{\n  "mcpServers": {\n    "a": { "command": "no')).toMatch(/^line 3, column \d+: /);
    expect(reasonOf('{\n  "mcpServers": {\n    "a": {}')).toMatch(/^line 3, column 12: /);
    expect(reasonOf('{\n  "mcpServers": {},\n  oops\n}')).toMatch(/^line 3, column 3: /);
    expect(reasonOf('{\n  "mcpServers": {\n    "a": tru }\n}\n}')).toBe("line 3, column 13: Unexpected token ' '");
    expect(reasonOf('')).toMatch(/^line 1, column 1: /);
    expect(reasonOf('[]')).toContain('no object "mcpServers"');
    expect(reasonOf('{"mcpServers":[]}')).toContain('no object "mcpServers"');
  });

  test('that is not JSON is refused without a word of its content', () => {
    const text = '{\n  "mcpServers": {\n    "a": {"env": {"TOKEN": sekret-abc} }\n  },\n  "z": 1\n}';
    expect(reasonOf(text)).toBe("line 3, column 28: Unexpected token 's'");
  });

  test('that switches a server off in the words of another host does not start it', () => {
    const read = file({ a: { command: 'node', disabled: true }, b: { command: 'node', disabled: false } });
    expect(read.declarations.map(({ entry }) => entry.enabled)).toEqual([false, undefined]);
  });

  test('may name a registry of its own, but none with a password or without encryption', () => {
    const failed = (registry: string) => file({ a: { install: 'npm:x', package: { registry } } }).failed;
    expect(failed('https://npm.acme.example/')).toEqual([]);
    for (const registry of ['https://ann:pw@npm.acme.example/', 'http://npm.acme.example/', 'npm.acme.example'])
      expect(failed(registry)[0]?.error.parts.why).toContain('package.registry does not fit');
  });

  test('with members that mean nothing here says so', () => {
    const read = file({ a: { command: 'node', comand: 'x', alwaysAllow: ['y'], type: 'stdio' } });
    expect(read.warnings).toEqual(['a: mcpd makes no use of comand, alwaysAllow']);
  });

  test('with bad entries keeps the good ones, and names each bad one', () => {
    const read = file({
      good: { install: 'weather' },
      none: {},
      both: { command: 'a', install: 'b' },
      two: { command: 'a', url: 'https://x.test' },
      transport: { url: 'https://x.test', transport: 'pigeon' },
      text: 'node',
      args: { command: 'node', args: 'a' },
      start: { command: 'node', start: 'sometimes' },
      sharing: { command: 'node', sharing: 'alone' },
      mcpd: { command: 'node' },
      Good: { command: 'node' },
    });
    expect(read.declarations.map(({ name }) => name)).toEqual(['good']);
    const reasons = Object.fromEntries(read.failed.map(({ name, error }) => [name, error.message]));
    expect(Object.keys(reasons).join(' ')).toBe('none both two transport text args start sharing mcpd Good');
    expect(reasons['args']).toContain('its member args does not fit: "args" holds a list of texts');
    expect(reasons['start']).toContain('its member start does not fit');
    expect(reasons['sharing']).toContain('per-workspace');
    expect(reasons['two']).toContain('it has both "command" and "url"');
    expect(reasons['Good']).toContain('two entries come to the name good');
  });

  test('may declare remote servers in the words of hosts', () => {
    const read = file({
      a: { type: 'http', url: 'https://x.test/mcp', headers: { Authorization: 'Bearer x' } },
      b: { type: 'sse', url: 'https://x.test/sse' },
    });
    expect(read.warnings).toEqual([]);
    expect(read.declarations.map(({ entry }) => entry.type)).toEqual(['http', 'sse']);
  });

  test('may name its servers after what JavaScript keeps for itself', () => {
    const read = readDeclared(PATH, '{"mcpServers":{"__proto__":{"command":"node"},"constructor":{"command":"node"}}}');
    expect(read.declarations.map(({ name }) => name)).toEqual(['proto', 'constructor']);
  });
});

describe('compared with what is installed', () => {
  const digest = file({ a: { command: 'node', args: ['x'] } }).declarations[0]?.digest ?? '';
  const ours: ServerSource = { kind: 'file', ref: PATH, digest };

  test('new, changed, removed and unchanged entries are told apart', () => {
    const read = file({
      a: { args: ['x'], command: 'node' },
      b: { command: 'node', args: ['y'] },
      c: { install: 'weather' },
    });
    const diff = compareDeclared(PATH, read, [installed('a', ours), installed('b', ours), installed('gone', ours)], {});
    expect(diff.unchanged).toEqual(['a']);
    expect(diff.change.map(({ declaration }) => declaration.name)).toEqual(['b']);
    expect(diff.add.map(({ name }) => name)).toEqual(['c']);
    expect(diff.remove).toEqual(['gone']);
  });

  test('servers that come from elsewhere are neither changed nor removed', () => {
    const others = [
      installed('a', { kind: 'command', ref: 'node x' }),
      installed('b', { kind: 'file', ref: '/other.json' }),
    ];
    const diff = compareDeclared(PATH, file({ a: { command: 'node' }, b: { command: 'node' } }), others, {});
    expect(diff).toMatchObject({ add: [], change: [], remove: [], unchanged: [] });
    expect(diff.failed.map(({ error }) => error.code)).toEqual(['NAME_TAKEN', 'NAME_TAKEN']);
  });

  test('a server from elsewhere that is just what the file says, as after an export, is unchanged', () => {
    const others = [installed('a', { kind: 'command', ref: 'node x' })];
    const exported = { a: { args: ['x'], command: 'node' } };
    const diff = compareDeclared(PATH, file({ a: { command: 'node', args: ['x'] } }), others, exported);
    expect(diff).toMatchObject({ add: [], change: [], remove: [], unchanged: ['a'], failed: [] });
  });

  test('an entry that went bad leaves the server it declared before', () => {
    const diff = compareDeclared(PATH, file({ A: { command: 7 } }), [installed('a', ours)], {});
    expect(diff.remove).toEqual([]);
    expect(diff.failed).toHaveLength(1);
  });
});
