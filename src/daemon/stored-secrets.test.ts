import { expect, test } from 'vitest';
import { DEFAULT_LIMITS, type Launch, type ServerDefinition } from '../core/model.ts';
import { secretRows } from './stored-secrets.ts';

const definition = (name: string, launch: Launch): ServerDefinition => ({
  name,
  description: '',
  launch,
  start: 'on-demand',
  sharing: 'auto',
  enabled: true,
  limits: DEFAULT_LIMITS,
  source: { kind: 'command', ref: '' },
  fingerprint: '',
  addedAt: 0,
});
const bank = definition('bank', {
  kind: 'stdio',
  command: 'bank',
  args: ['--user', `\${secret:USER}`],
  cwd: null,
  env: { AUTH: `Bearer \${secret:TOKEN}`, AGAIN: `\${secret:TOKEN}`, PLAIN: 'x' },
});
const remote = definition('remote', {
  kind: 'http',
  url: 'https://example.com/mcp',
  transport: 'auto',
  headers: { 'X-Key': `\${secret:KEY}` },
});

function rows(content: Record<string, string[]>, registered: string[] = []) {
  const kept = { servers: () => Object.keys(content), names: (server: string) => content[server] ?? [] };
  return secretRows([remote, bank], kept, (name) => registered.includes(name)).map(
    ({ server, name, state }) => `${server} ${name} ${state}`,
  );
}

test('each secret that is kept or needed is named once, with what becomes of it', () => {
  expect(rows({ bank: ['OLD', 'TOKEN'] })).toEqual([
    'bank OLD unused',
    'bank TOKEN used',
    'bank USER missing',
    'remote KEY missing',
  ]);
});

test('what a killed install left is orphaned; what belongs to an entry that cannot be read is not', () => {
  const states = rows({ ghost: ['A', 'B'], odd: ['C'] }, ['odd']);
  expect(states).toEqual(expect.arrayContaining(['ghost A orphaned', 'ghost B orphaned', 'odd C used']));
});

test('what is kept under a name that no server can have is none of a server’s secrets', () => {
  expect(rows({ 'oauth:remote': ['https://issuer.example'] }).join()).not.toContain('oauth');
});
