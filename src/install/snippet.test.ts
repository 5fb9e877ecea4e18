import { describe, expect, test } from 'vitest';
import { McpdError } from '../errors.ts';
import { isSnippet, readSnippet, SNIPPET_LENGTH_MAX, type SnippetServer, snippetValues } from './snippet.ts';

const read = (value: unknown) => readSnippet(typeof value === 'string' ? value : JSON.stringify(value), 'the snippet');
const one = (value: unknown): SnippetServer => {
  const { servers, unread } = read(value);
  expect(unread).toEqual([]);
  expect(servers).toHaveLength(1);
  return servers[0] ?? expect.fail('no server');
};
const answers = (given: Record<string, string> = {}) => new Map(Object.entries(given));
/** As it is installed, with these answers. */
const flat = (server: SnippetServer, given: Record<string, string> = {}) => {
  const { args, env, headers } = snippetValues(server.way, answers(given));
  const { way } = server;
  if (way.kind === 'package') return { spec: way.spec, args, env };
  return way.kind === 'address'
    ? { url: way.url, transport: way.transport, headers }
    : { command: way.command, args, env, cwd: way.cwd };
};
const command = (words: readonly string[], more: object = {}) =>
  one({ command: words[0], args: words.slice(1), ...more });

function refusal(text: string): string {
  try {
    read(text);
  } catch (error) {
    if (error instanceof McpdError) return `${error.code}: ${error.parts.why}`;
    throw error;
  }
  return '';
}

const MEMORY = { command: 'npx', args: ['-y', '@modelcontextprotocol/server-memory'] };
const AS_PACKAGE = { spec: 'npm:@modelcontextprotocol/server-memory', args: [], env: {} };

describe('the shapes of hosts', () => {
  test.each([
    ['most hosts', { mcpServers: { memory: MEMORY } }],
    ['VS Code', { servers: { memory: { type: 'stdio', ...MEMORY } }, inputs: [] }],
    ['VS Code’s settings', { mcp: { servers: { memory: MEMORY } } }],
    ['Zed', { context_servers: { memory: { source: 'custom', ...MEMORY, env: {} } } }],
    ['older Zed', { context_servers: { memory: { command: { path: 'npx', args: MEMORY.args, env: {} } } } }],
    ['Amp', { 'amp.mcpServers': { memory: MEMORY } }],
    [
      'opencode 1',
      { mcp: { memory: { type: 'local', command: ['npx', ...MEMORY.args], environment: {}, enabled: true } } },
    ],
    ['opencode 2', { mcp: { servers: { memory: { type: 'local', command: ['npx', ...MEMORY.args] } } } }],
    ['Goose', { extensions: { memory: { type: 'stdio', enabled: true, cmd: 'npx', args: MEMORY.args, envs: {} } } }],
    ['a list', { mcpServers: [{ name: 'memory', ...MEMORY }] }],
    ['a bare map', { memory: MEMORY }],
    ['a bare server with a name', { name: 'memory', ...MEMORY }],
    ['one text', { memory: { command: 'npx -y "@modelcontextprotocol/server-memory"' } }],
    ['a map whose server is called as a place is', { mcp: MEMORY }],
  ])('of %s are read', (_, shape) => {
    const server = one(shape);
    expect(server.name).toMatch(/^(memory|mcp)$/);
    expect(flat(server)).toEqual(AS_PACKAGE);
    expect(server.disabled).toBe(false);
    expect(server.warnings).toEqual([]);
  });

  test('may stand without a name, with comments and trailing commas, in the fence of a README, or cut out of a file', () => {
    expect(one(MEMORY).name).toBeNull();
    expect(
      flat(
        one(
          '{ // mine\n "mcpServers": { "memory": { "command": "npx", "args": ["-y", "@modelcontextprotocol/server-memory",], }, }, }',
        ),
      ),
    ).toEqual(AS_PACKAGE);
    expect(flat(one(`\n\`\`\`json\n${JSON.stringify({ mcpServers: { memory: MEMORY } })}\n\`\`\`\n`))).toEqual(
      AS_PACKAGE,
    );
    const cut = one(`"memory": ${JSON.stringify(MEMORY)},`);
    expect(cut.name).toBe('memory');
    expect([cut.line, cut.column]).toEqual([1, 11]);
  });

  test.each([
    [{ url: 'https://x.test/mcp' }, 'auto'],
    [{ serverUrl: 'https://x.test/mcp' }, 'auto'],
    [{ httpUrl: 'https://x.test/mcp' }, 'streamable-http'],
    [{ uri: 'https://x.test/mcp', type: 'streamable_http' }, 'streamable-http'],
    [{ url: 'https://x.test/mcp', type: 'streamableHttp' }, 'streamable-http'],
    [{ url: 'https://x.test/mcp', transport: 'sse' }, 'sse'],
    [{ url: 'https://x.test/mcp', type: 'remote' }, 'auto'],
    [{ url: 'https://x.test/mcp', type: 'http' }, 'auto'],
  ])('name a remote server: %j', (entry, transport) => {
    expect(flat(one({ mcpServers: { x: entry } }))).toEqual({ url: 'https://x.test/mcp', transport, headers: {} });
  });

  test('tell that a host does not use a server, and what mcpd has no use for', () => {
    expect(one({ mcpServers: { a: { ...MEMORY, disabled: true } } }).disabled).toBe(true);
    expect(one({ mcp: { a: { ...MEMORY, enabled: false } } }).disabled).toBe(true);
    expect(one({ a: { ...MEMORY, autoApprove: [], timeout: 60 } }).warnings).toEqual([
      'mcpd makes no use of autoApprove, timeout',
    ]);
  });
});

describe('what a command line installs', () => {
  test.each([
    [['npx', '-y', 'a@1.2.3', 'x', '--y'], 'npm:a@1.2.3', ['x', '--y']],
    [['npx', '--yes', '--', '@s/a@latest'], 'npm:@s/a@latest', []],
    [['npx', '--package', '@s/a@2.0.0', 'a', 'start'], 'npm:@s/a@2.0.0', ['start']],
    [['npx', '--package=a', '--', 'a'], 'npm:a', []],
    [['C:\\Program Files\\nodejs\\npx.cmd', '-y', 'a'], 'npm:a', []],
    [['cmd', '/c', 'npx', '-y', 'a'], 'npm:a', []],
    [['cmd.exe', '/d', '/s', '/c', 'npx -y a b'], 'npm:a', ['b']],
    [['bunx', 'a'], 'npm:a', []],
    [['bun', 'x', '-y', 'a'], 'npm:a', []],
    [['pnpm', 'dlx', 'a'], 'npm:a', []],
    [['yarn', 'dlx', '-q', 'a'], 'npm:a', []],
    [['npm', 'exec', '-y', '--', 'a', 'b'], 'npm:a', ['b']],
    [['uvx', 'mcp-server-git', '--repository', '.'], 'pypi:mcp-server-git', ['--repository', '.']],
    [['/root/.local/bin/uvx', 'a@1.0'], 'pypi:a@1.0', []],
    [['uvx', 'a==1.0.post1'], 'pypi:a@1.0.post1', []],
    [['uvx', 'a@latest'], 'pypi:a', []],
    [['uvx', '--from', 'some_pkg==2', 'some-pkg', 'x'], 'pypi:some_pkg@2', ['x']],
    [['uv', 'tool', 'run', 'a'], 'pypi:a', []],
    [['pipx', 'run', 'a'], 'pypi:a', []],
    [['docker', 'run', '-i', '--rm', 'ghcr.io/acme/mcp:1.2', '--x'], 'oci:ghcr.io/acme/mcp:1.2', ['--x']],
    [['podman', 'run', '--rm', '-i', '--pull=always', 'acme/mcp'], 'oci:acme/mcp', []],
  ])('%j', (words, spec, args) => {
    expect(flat(command(words))).toEqual({ spec, args, env: {} });
  });

  test.each([
    [['npx', '-y', 'github:acme/mcp'], 'no package of the npm registry'],
    [['npx', './local'], 'no package of the npm registry'],
    [['npx', '-p', '@s/a', 'b'], 'the program b of the package @s/a'],
    [['npx', '--registry=https://r.test', 'a'], '--registry'],
    [['npx', '-c', 'a | b'], '-c'],
    [['uvx', '--from', 'git+https://x.test/a', 'a'], 'no plain package'],
    [['uvx', '--with', 'b', 'a'], '--with'],
    [['uvx', '--from', 'a', 'b'], 'the program b'],
    [['uvx', 'a[extra]'], 'no plain package'],
    [['docker', 'run', '-i', '--rm', '-v', '/a:/b', 'acme/mcp'], '-v'],
    [['docker', 'run', '-i', '--network', 'host', 'acme/mcp'], '--network'],
  ])('%j runs as written, and says so', (words, why) => {
    const server = command(words);
    expect(flat(server)).toEqual({ command: words[0], args: words.slice(1), env: {}, cwd: null });
    expect(server.warnings.join()).toContain(why);
  });

  test('is left alone where nothing is fetched, or where it has a folder of its own', () => {
    expect(flat(command(['node', '/srv/a.js']))).toEqual({ command: 'node', args: ['/srv/a.js'], env: {}, cwd: null });
    expect(command(['node', '/srv/a.js']).warnings).toEqual([]);
    const placed = command(['npx', '-y', 'a'], { cwd: '/srv' });
    expect(flat(placed)).toEqual({ command: 'npx', args: ['-y', 'a'], env: {}, cwd: '/srv' });
    expect(placed.warnings.join()).toContain('a folder to run in');
  });

  test('gives variables before the program, and to a container by flags', () => {
    expect(flat(command(['/usr/bin/env', 'LANG=C', 'npx', 'a']))).toMatchObject({
      spec: 'npm:a',
      env: { LANG: { value: 'C', secret: false } },
    });
    const container = command(['docker', 'run', '-i', '--rm', '-e', 'API_TOKEN', '-e', 'MODE=ro', 'acme/mcp'], {
      env: { API_TOKEN: 'abc' },
    });
    expect(flat(container)).toEqual({
      spec: 'oci:acme/mcp',
      args: [],
      env: { API_TOKEN: { value: 'abc', secret: true }, MODE: { value: 'ro', secret: false } },
    });
    const caller = command(['docker', 'run', '-i', '--rm', '-e', 'API_TOKEN', 'acme/mcp']);
    expect(caller.asked).toMatchObject([{ name: 'API_TOKEN', secret: true }]);
    const outside = command(['docker', 'run', '-i', '--rm', 'acme/mcp'], { env: { DOCKER_HOST: 'ssh://x' } });
    expect(outside.warnings.join()).toContain('DOCKER_HOST');
  });

  test('reaches a remote server directly where it only would be a bridge to it', () => {
    const bridge = command(
      [
        'npx',
        '-y',
        'mcp-remote@latest',
        'https://x.test/sse',
        '3334',
        '--transport',
        'sse-only',
        '--header',
        `Authorization: \${AUTH}`,
      ],
      { env: { AUTH: 'Bearer abc' } },
    );
    expect(flat(bridge)).toEqual({
      url: 'https://x.test/sse',
      transport: 'sse',
      headers: { Authorization: { value: 'Bearer abc', secret: true } },
    });
    expect(flat(command(['npx', '-y', 'supergateway', '--streamableHttp', 'https://x.test/mcp']))).toMatchObject({
      url: 'https://x.test/mcp',
      transport: 'streamable-http',
    });
    expect(
      command(['npx', 'mcp-remote', 'https://x.test', '--static-oauth-client-info', '{}']).warnings.join(),
    ).toContain('--static-oauth-client-info');
  });
});

describe('values', () => {
  test('that look like secrets are kept apart, and the others are not', () => {
    const env = { GITHUB_TOKEN: 'abc', LOG: 'debug', DB: 'postgres://u:p@h/d', RANDOM: 'a1b2c3d4e5f6a7b8c9' };
    const { env: given } = snippetValues(command(['npx', 'a'], { env }).way, answers());
    expect(Object.entries(given).map(([name, { secret }]) => [name, secret])).toEqual([
      ['GITHUB_TOKEN', true],
      ['LOG', false],
      ['DB', true],
      ['RANDOM', true],
    ]);
  });

  test('of arguments too, where a reference takes their place', () => {
    const server = command([
      'npx',
      'a',
      '--api-key',
      'abc',
      '--token=def',
      '--dir',
      '/srv/x1',
      'postgresql://u:p@h/d',
      '--v2-mode',
    ]);
    const { args, env } = snippetValues(server.way, answers());
    expect(args).toEqual([
      ...['--api-key', `\${secret:API_KEY}`, `--token=\${secret:TOKEN}`, '--dir', '/srv/x1'],
      ...[`\${secret:ARGUMENT_6}`, '--v2-mode'],
    ]);
    expect(env).toEqual({
      API_KEY: { value: 'abc', secret: true },
      TOKEN: { value: 'def', secret: true },
      ARGUMENT_6: { value: 'postgresql://u:p@h/d', secret: true },
    });
  });

  test('that a person has to give are asked for, in the words of the configuration', () => {
    const server = one({
      inputs: [
        { type: 'promptString', id: 'gh-token', description: 'GitHub token', password: true },
        { type: 'pickString', id: 'mode', options: ['ro', 'rw'], default: 'ro' },
      ],
      servers: {
        gh: {
          command: 'npx',
          args: ['-y', 'a', '--mode', `\${input:mode}`],
          env: { GITHUB_TOKEN: `\${input:gh-token}`, HOST: `https://\${env:GH_HOST:-github.com}`, X_KEY: '<YOUR KEY>' },
        },
      },
    });
    const plain = { description: '', required: true, environment: false, default: null, choices: null };
    expect(server.asked).toEqual([
      { ...plain, name: 'GITHUB_TOKEN', description: 'GitHub token', secret: true },
      { ...plain, name: 'GH_HOST', secret: false, environment: true, default: 'github.com' },
      { ...plain, name: 'X_KEY', secret: true },
      { ...plain, name: 'mode', secret: false, default: 'ro', choices: ['ro', 'rw'] },
    ]);
    expect(flat(server, { GITHUB_TOKEN: 't', GH_HOST: 'h', X_KEY: 'k', mode: 'rw' })).toEqual({
      spec: 'npm:a',
      args: ['--mode', 'rw'],
      env: {
        GITHUB_TOKEN: { value: 't', secret: true },
        HOST: { value: 'https://h', secret: false },
        X_KEY: { value: 'k', secret: true },
      },
    });
  });

  test.each(['<token>', 'YOUR_API_KEY', 'your-api-key-here', '', 'xxx', '...', 'paste-here', '[token]'])(
    'such as "%s" stand for what a person gives',
    (text) => {
      expect(command(['npx', 'a'], { env: { API_KEY: text } }).asked).toMatchObject([
        { name: 'API_KEY', secret: true },
      ]);
    },
  );

  test('that are empty may be left out', () => {
    const server = command(['npx', 'a'], { env: { GITHUB_HOST: '' } });
    expect(server.asked).toMatchObject([{ name: 'GITHUB_HOST', required: false }]);
    expect(flat(server)).toEqual({ spec: 'npm:a', args: [], env: {} });
  });

  test('of editors stay as they are, and are told', () => {
    const server = command(['npx', 'a', `\${workspaceFolder}/x`, `\${secret:OWN}`]);
    expect(flat(server)).toMatchObject({ args: [`\${workspaceFolder}/x`, `\${secret:OWN}`] });
    expect(server.warnings.join()).toContain('means nothing to mcpd');
  });

  test('of folders that nobody has are asked for', () => {
    const server = command(['npx', 'a', '/path/to/folder', '/Users/username/Desktop']);
    expect(server.asked.map(({ name }) => name)).toEqual(['argument_1', 'argument_2']);
    expect(flat(server, { argument_1: '/a', argument_2: '/b' })).toMatchObject({ args: ['/a', '/b'] });
  });
});

describe('what cannot be read', () => {
  test('is told with line and column', () => {
    expect(refusal('{\n  "mcpServers": {\n    "a": { "command": "x" "args": [] }\n  }\n}')).toBe(
      'CONFIG_INVALID: line 3, column 27: a comma or "}" should be here',
    );
    expect(refusal('"a": { "command": nope }')).toBe('CONFIG_INVALID: line 1, column 19: no value begins so');
    expect(refusal('{"a": 1}')).toContain('there is no server in it');
    expect(refusal('[]')).toContain('line 1, column 1');
    expect(refusal(' '.repeat(SNIPPET_LENGTH_MAX + 1))).toContain('longer than');
  });

  test('leaves the other entries as they are', () => {
    const { servers, unread } = read(
      '{"mcpServers": {\n "a": {"command": "npx", "args": ["a"]},\n "b": {"command": "x", "args": {}},\n "c": {"url": 1},\n "d": {"type": "ws", "url": "https://x"},\n "e": {}, "f": {"command": "x", "url": "https://x"}, "g": [], "h": {"command": ""}}}',
    );
    expect(servers.map(({ name }) => name)).toEqual(['a']);
    expect(unread.map(({ name, error }) => `${name} ${error.parts.why}`)).toEqual([
      'b line 3, column 32: the arguments should be a text',
      'c line 4, column 15: the address should be a text',
      'd line 5, column 16: a remote server is of the type "http", "streamable-http" or "sse"',
      'e line 6, column 7: it has neither "command" nor "url"',
      'f line 6, column 16: it has both "command" and "url"',
      'g line 6, column 59: a server is an object',
      'h line 6, column 80: the command is empty',
    ]);
  });

  test('is mcpd itself too', () => {
    const { servers, unread } = read({
      mcpServers: { mcpd: { command: '/usr/bin/node', args: ['/x/mcpd.js', 'stdio'] } },
    });
    expect(servers).toEqual([]);
    expect(unread[0]?.error.parts.what).toContain('mcpd itself');
  });
});

test('a snippet is told from other ways to name a server', () => {
  for (const text of ['{"a":1}', ' {', '[', '"a": {', '// x\n{', '```json\n{}'])
    expect(isSnippet(text), text).toBe(true);
  for (const text of ['memory', 'npm:a', './x', '/abs/x', 'https://x', 'io.github.x/y', '-', './x.json'])
    expect(isSnippet(text), text).toBe(false);
});
