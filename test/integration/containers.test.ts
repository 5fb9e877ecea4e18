import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Containers } from '../../src/servers/containers.ts';
import { CONTAINER_ID, type FakeTools, fakeTools } from '../harness/fake-tools.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';

let home: TemporaryHome;
let tools: FakeTools;
let folder: string;

beforeEach(async () => {
  home = await temporaryHome();
  tools = fakeTools(home.folder('programs'), ['docker']);
  folder = join(home.mcpdHome, 'containers');
});
afterEach(async () => {
  await home.cleanup();
});

const containersOf = (nonce: string) => new Containers(folder, nonce, async () => home.env);
const docker = () => join(tools.folder, 'docker');

test('a container is removed by its id when its client has ended, and its files with it', async () => {
  const containers = containersOf('one');
  const order = { instance: 'acme', generation: 3 };
  const place = containers.of(order);
  const file = place.file();
  await place.begins(file, docker());
  writeFileSync(file, `${CONTAINER_ID}\n`);
  const faults: string[] = [];
  containers.ended(order, (fault) => faults.push(fault));
  await containers.settled();
  expect(tools.calls().map(({ argv }) => argv)).toEqual([['rm', '--force', CONTAINER_ID]]);
  expect(faults).toEqual([]);
  expect(readdirSync(folder)).toEqual([]);
});

test('two starts of one instance never share a file, which an engine would refuse', () => {
  const containers = containersOf('one');
  const place = containers.of({ instance: 'acme', generation: 1 });
  expect(place.file()).not.toBe(place.file());
});

test('what a dead daemon left is ended by the next one, which leaves its own alone', async () => {
  mkdirSync(folder, { recursive: true });
  for (const name of ['dead.1', 'alive.1']) {
    writeFileSync(join(folder, name), CONTAINER_ID);
    writeFileSync(join(folder, `${name}.engine`), docker());
  }
  // Killed before the engine wrote an id.
  writeFileSync(join(folder, 'dead.2.engine'), docker());
  expect(await containersOf('alive').sweep()).toEqual([]);
  expect(tools.calls()).toHaveLength(1);
  expect(readdirSync(folder).sort()).toEqual(['alive.1', 'alive.1.engine']);
});

test('what cannot be ended is told, and kept for the next daemon', async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'dead.1'), CONTAINER_ID);
  writeFileSync(join(folder, 'dead.1.engine'), join(tools.folder, 'gone'));
  expect(await containersOf('alive').sweep()).toEqual([
    expect.stringContaining('the container c0ffeec0ffee could not'),
  ]);
  expect(existsSync(join(folder, 'dead.1'))).toBe(true);
});

test('a file that holds no id is not given to an engine', async () => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'dead.1'), '--all; rm -rf /');
  writeFileSync(join(folder, 'dead.1.engine'), docker());
  expect(await containersOf('alive').sweep()).toEqual([]);
  expect(tools.calls()).toEqual([]);
});
