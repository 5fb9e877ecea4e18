import { expect, it } from 'vitest';
import type { ServerInfo } from '../../../../src/api/contract.ts';
import { launchFacts } from './facts.ts';

const given = (own: Partial<ServerInfo>): ServerInfo =>
  ({
    secrets: [],
    login: null,
    logFile: '/home/me/.mcpd/logs/weather.log',
    source: { kind: 'command', ref: 'node server.js' },
    ...own,
  }) as ServerInfo;

const textsOf = (info: ServerInfo) => launchFacts(info).map(({ name, value }) => `${name}: ${value}`);

it('a command is written so that a shell takes it back, and a secret is its name', () => {
  const launch = {
    kind: 'stdio',
    command: 'node',
    args: ['my server.js', `--key=\${secret:KEY}`],
    cwd: '/work',
    env: { LANG: 'de' },
  } as const;
  expect(textsOf(given({ launch: { ...launch, args: [...launch.args] }, secrets: ['KEY'] }))).toEqual([
    `Command: node 'my server.js' '--key=\${secret:KEY}'`,
    'Folder: /work',
    'Variable: LANG=de',
    'Secrets: KEY',
    'Source: mcpd add, by its command',
    'Log: /home/me/.mcpd/logs/weather.log',
  ]);
});

it('a remote server has an address, headers, and where somebody logged in', () => {
  const info = given({
    launch: { kind: 'http', url: 'https://mcp.example/mcp', transport: 'auto', headers: { 'X-Team': 'a' } },
    source: { kind: 'url', ref: 'https://mcp.example/mcp' },
    login: {
      issuer: 'https://login.example',
      resource: 'https://mcp.example',
      scopes: [],
      expiresAt: null,
      renews: true,
    },
  });
  expect(textsOf(info)).toEqual([
    'Address: https://mcp.example/mcp',
    'Transport: auto',
    'Header: X-Team: a',
    'Logged in at: https://login.example',
    'Source: its address',
    'Log: /home/me/.mcpd/logs/weather.log',
  ]);
});
