import { expect, test } from 'vitest';
import { readSnippet, type SnippetServer } from '../../../src/install/snippet.ts';
import { mustBeNamed, snippetInputs, snippetRequest, valueTexts, wayText } from './snippet-request.ts';

const NOTHING = { name: null, folder: '', values: new Map<string, string>() };

function only(server: object): SnippetServer {
  const [read] = readSnippet(JSON.stringify({ mcpServers: { files: server } }), 'the snippet').servers;
  if (read === undefined) throw new Error('no server in it');
  return read;
}

test('what npx starts becomes a package; what is asked for is shown by its name, and secrets by theirs alone', () => {
  const server = only({
    command: 'npx',
    args: ['-y', '@acme/files@1.2.0', '--root', '<ROOT DIR>'],
    env: { ACME_TOKEN: 'tok-0123456789', LANG_OF_IT: 'en' },
  });
  expect(wayText(server)).toContain('npm:@acme/files@1.2.0 --root');
  expect(valueTexts(server)).toEqual([
    ['Variable', 'ACME_TOKEN=(a secret, kept apart)'],
    ['Variable', 'LANG_OF_IT=en'],
  ]);
  const [input] = snippetInputs(server);
  const values = new Map([[input?.name ?? '', '/srv']]);
  expect(snippetRequest(server, { ...NOTHING, name: 'mine', values })).toEqual({
    action: 'install',
    install: {
      spec: 'npm:@acme/files@1.2.0',
      name: 'mine',
      args: ['--root', '/srv'],
      env: { ACME_TOKEN: { value: 'tok-0123456789', secret: true }, LANG_OF_IT: { value: 'en', secret: false } },
    },
  });
});

test('an address keeps its transport and its headers, and what is left empty is its default or is left out', () => {
  const server = only({
    type: 'sse',
    url: 'https://mcp.example/sse',
    headers: { 'X-Team': `\${TEAM:-red}`, 'X-Note': `\${NOTE}` },
  });
  expect(snippetInputs(server).map(({ name, description }) => [name, description])).toEqual([
    ['TEAM', 'The configuration takes it from the variable TEAM.'],
    ['NOTE', 'The configuration takes it from the variable NOTE.'],
  ]);
  expect(snippetRequest(server, NOTHING)).toEqual({
    action: 'install',
    install: {
      ...{ spec: 'https://mcp.example/sse', transport: 'sse', name: 'files' },
      headers: { 'X-Team': { value: 'red', secret: false } },
    },
  });
});

test('a command is added as it stands, where a person says that it runs', () => {
  const server = only({ command: '/opt/tools/serve', args: ['a b'] });
  expect([wayText(server), mustBeNamed(server), mustBeNamed({ ...server, name: null })]).toEqual([
    "/opt/tools/serve 'a b'",
    false,
    true,
  ]);
  expect(snippetRequest(server, { ...NOTHING, folder: '/opt/tools' })).toEqual({
    action: 'add',
    add: { name: 'files', command: '/opt/tools/serve', args: ['a b'], env: {}, cwd: '/opt/tools', trial: true },
  });
});
