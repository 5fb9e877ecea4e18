import { fileURLToPath } from 'node:url';
import { beforeAll, expect } from 'vitest';
import { type Machine, test } from '../harness/machine.ts';
import { MODERN_REVISION } from '../harness/modern.ts';
import { CLIENT_DIFFERENCES, DIFFERENCES, differing } from './differences.ts';
import { type Found, faultsOf, pageOf } from './report.ts';
import {
  CLIENT_SETS,
  installSuite,
  nodeProgram,
  type Outcomes,
  SETS,
  type SetName,
  testClient,
  testServer,
} from './suite.ts';
import { DOORS, httpFixture, installFixture, KINDS } from './targets.ts';
import { tokenProxy } from './token-proxy.ts';

/** Limits against hanging: fetching takes a while on a slow line, and each set runs some thirty scenarios. */
const INSTALL_MS = 300_000;
const RUN_MS = 300_000;

const SET_NAMES = Object.keys(SETS) as SetName[];
const servers: Found = new Map();
const client = new Map<SetName, Outcomes>();
const direct = 'the fixture itself';

beforeAll(installSuite, INSTALL_MS);

test('the fixture by itself does what the suite requires', { timeout: RUN_MS }, async () => {
  const fixture = await httpFixture('both');
  try {
    const found = await runSets(direct, fixture.url);
    for (const [set, outcomes] of found) expect(scoredFaults(outcomes), set).toEqual({});
  } finally {
    fixture.end();
  }
});

for (const kind of KINDS) {
  for (const door of DOORS) {
    test(`a ${kind} server behind ${door} passes what it passes by itself`, { timeout: RUN_MS }, async ({
      machine,
    }) => {
      await machine.startDaemon();
      const end = await installFixture(machine, kind);
      const proxy = await tokenProxy(...(await entrance(machine, door)));
      try {
        const found = await runSets(`${kind}, ${door}`, proxy.url);
        for (const [set, outcomes] of found)
          expectAllBut(worse(set, outcomes), differing(DIFFERENCES, set, door, kind), set);
      } finally {
        await proxy.close();
        end();
      }
    });
  }
}

for (const set of CLIENT_SETS) {
  test(`servers of the suite (${set}) find a good client in mcpd`, { timeout: RUN_MS }, async ({ machine }) => {
    await machine.startDaemon();
    const [url, token] = await entrance(machine, '/mcp');
    const program = fileURLToPath(new URL('client.ts', import.meta.url));
    const env = {
      ...machine.home.env,
      MCPD_PROGRAM: `${machine.package}/dist/mcpd.js`,
      MCPD_URL: url,
      MCPD_TOKEN: token,
      MCPD_TURNS: machine.home.folder('turns'),
    };
    const outcomes = await testClient(set, [nodeProgram(), program], env);
    client.set(set, outcomes);
    expectAllBut(scoredFaults(outcomes), differing(CLIENT_DIFFERENCES, set), set);
  });
}

test('docs/conformance.md says what these runs found', async () => {
  await expect(pageOf(servers, client)).toMatchFileSnapshot('../../docs/conformance.md');
});

// — internal —

async function runSets(target: string, url: string): Promise<Map<SetName, Outcomes>> {
  const found = new Map<SetName, Outcomes>();
  servers.set(target, found);
  for (const set of SET_NAMES) {
    if (set === '0.2 2026-07-28') await wake(url);
    found.set(set, await testServer(set, url));
  }
  return found;
}

/**
 * A call as server-stateless makes one. That scenario waits 600 ms for its answer, in which a process of a server that asks back, for a
 * client that can be asked, would have to be started first.
 */
async function wake(url: string): Promise<void> {
  const name = 'test_streaming_elicitation';
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': MODERN_REVISION,
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        _meta: {
          'io.modelcontextprotocol/protocolVersion': MODERN_REVISION,
          'io.modelcontextprotocol/clientCapabilities': { elicitation: {} },
        },
      },
    }),
  });
  expect(await answer.text()).toContain('Nothing was asked');
}

/** The URL of that door, and a token that opens it. */
async function entrance(machine: Machine, door: string): Promise<[url: string, token: string]> {
  const { token } = (await machine.ok('token', 'add', 'conformance', '--json')) as { token: string };
  return [`http://127.0.0.1:${machine.home.port}${door}`, token];
}

function scoredFaults(outcomes: Outcomes): Record<string, string[]> {
  return Object.fromEntries(Object.entries(faultsOf(outcomes)).filter(([name]) => outcomes[name]?.unscored === false));
}

/** What failed here and not directly, scored or not. */
function worse(set: SetName, outcomes: Outcomes): Record<string, string[]> {
  const passedDirectly = Object.entries(servers.get(direct)?.get(set) ?? {}).filter(([, { failed }]) => failed === 0);
  expect(Object.keys(outcomes), set).toEqual(expect.arrayContaining(passedDirectly.map(([name]) => name)));
  const names = new Set(passedDirectly.map(([name]) => name));
  return Object.fromEntries(Object.entries(faultsOf(outcomes)).filter(([name]) => names.has(name)));
}

/** Exactly the named scenarios may fail, and must: one that passes again has to leave its table. */
function expectAllBut(failed: Record<string, string[]>, named: readonly string[], set: SetName): void {
  const known = new Set(named);
  expect(Object.fromEntries(Object.entries(failed).filter(([name]) => !known.has(name))), `${set}: unexpected`).toEqual(
    {},
  );
  expect(
    [...known].filter((name) => failed[name] === undefined),
    `${set}: named as failing, and passes`,
  ).toEqual([]);
}
