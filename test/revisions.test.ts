import { readFileSync, writeFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { temporaryHome } from './harness/home.ts';
import { Machine } from './harness/machine.ts';
import { CELLS, FEATURES, type Feature, type Pair, Refused } from './harness/revisions/cells.ts';
import { connectPlace, installServers, type Servers, violationsIn } from './harness/revisions/setting.ts';
import { type Cell, deviations, nameOf, PLACES, type Place, pageOf } from './harness/revisions/table.ts';

const PAGE = 'docs/revisions.md';

let machine: Machine;
let servers: Servers;
const cells: Cell[] = [];

beforeAll(async () => {
  machine = new Machine(await temporaryHome());
  servers = await installServers(machine, PLACES);
});

afterAll(async () => {
  await servers.end();
  await machine.end();
});

test.for(PLACES.map((place) => [nameOf(place), place] as const))(
  'a host of %s works with every server, as far as the specification goes',
  async ([, place]) => {
    const host = await connectPlace(machine, place);
    const seen = await Promise.all(
      PLACES.map((server) => column(place, server, { host, ...servers.pairWith(server) })),
    );
    cells.push(...seen.flat());
    await host.close();
    expect(deviations(seen.flat())).toEqual([]);
    expect([...new Set(host.faults)]).toEqual([]);
    expect(violationsIn(machine.recordFile)).toEqual([]);
  },
);

test(`${PAGE} says what was seen`, () => {
  const page = pageOf(cells);
  if (process.env['UPDATE'] === '1' && page !== textOf(PAGE)) writeFileSync(PAGE, page);
  expect(textOf(PAGE), 'run this test with UPDATE=1 to write the page').toBe(page);
});

// — internal —

/** All features of one pair, one after another: a server that calls back must know whose call it was. */
async function column(host: Place, server: Place, pair: Pair): Promise<Cell[]> {
  const seen: Cell[] = [];
  for (const feature of FEATURES) seen.push({ host, server, feature, ...(await tried(feature, pair)) });
  return seen;
}

async function tried(feature: Feature, pair: Pair): Promise<Pick<Cell, 'outcome' | 'text'>> {
  try {
    await CELLS[feature](pair);
    return { outcome: 'works', text: '' };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    return { outcome: error instanceof Refused ? 'refused' : 'broken', text };
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // Written for the first time.
  }
}
