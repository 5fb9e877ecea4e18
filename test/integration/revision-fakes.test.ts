import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fake } from '../harness/fake.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { CELLS, FEATURES, impossible, type Pair } from '../harness/revisions/cells.ts';
import { httpWire } from '../harness/revisions/http-wires.ts';
import { RevisionHost } from '../harness/revisions/revision-host.ts';
import { endOf, recordedBy, startRemote, violationsIn } from '../harness/revisions/setting.ts';
import { stdioWire } from '../harness/revisions/stdio-wire.ts';
import { nameOf, PLACES } from '../harness/revisions/table.ts';

// Before they judge mcpd, the strict host and the strict server have to agree with one another.
let home: TemporaryHome;

beforeEach(async () => {
  home = await temporaryHome();
});

afterEach(async () => {
  expect(await home.cleanup(), 'processes that stayed').toEqual([]);
});

test.for(PLACES.map((place) => [nameOf(place), place] as const))(
  'the host and the server of %s find nothing wrong with one another',
  async ([name, { revision, transport }]) => {
    const file = join(home.root, 'records');
    const env = { ...home.env, RECORD_FILE: file };
    const args = ['--revision', revision, '--transport', transport, '--name', name];
    const command = fake('any-revision', ...args);
    const remote = transport === 'http' ? await startRemote(command, env) : undefined;
    const wire =
      remote === undefined ? stdioWire(command, { env }) : httpWire(revision, { url: remote.url, token: 'none' });
    const host = await RevisionHost.connect({ label: 'direct', revision, wire });
    await host.setLevel('info');

    const label = { names: '', questions: '' };
    const pair: Pair = { host, server: name, revision, label, recorded: recordedBy(file, name) };
    for (const feature of FEATURES)
      if (impossible(feature, revision, revision) === undefined) await CELLS[feature](pair);
    await host.close();
    if (remote !== undefined) await endOf(remote.child);
    expect(host.faults).toEqual([]);
    expect(violationsIn(file)).toEqual([]);
  },
);
