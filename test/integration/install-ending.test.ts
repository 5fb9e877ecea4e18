import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { McpdError } from '../../src/errors.ts';
import { fake } from '../harness/fake.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { doneOf, failureOf, installationIn } from '../harness/installing.ts';
import { until } from '../harness/until.ts';

let home: TemporaryHome;
beforeEach(async () => {
  home = await temporaryHome();
});
afterEach(async () => {
  expect(await home.cleanup()).toEqual([]);
});

const KEY = { API_KEY: { value: 'hunter2-hunter2', secret: true } };

test('an install that the end of the daemon cuts short says so, is undone, and is waited for', async () => {
  const it = await installationIn(home);
  const [command, ...args] = fake('never-answers');
  const adding = it.add({ name: 'never', command, args, env: KEY });
  await until('the trial to begin', () => existsSync(it.paths.logOf('never')));
  let idle = false;
  const waiting = it.installer.idle().then(() => {
    idle = true;
  });
  it.ending.abort(new McpdError('DAEMON_STOPPING', { what: 'mcpd is stopping' }));
  expect(idle).toBe(false);
  await waiting;
  expect([it.secrets.servers(), it.registry.allServers()]).toEqual([[], []]);
  expect([it.paths.data, it.paths.logs].flatMap((folder) => readdirSync(folder))).toEqual([]);
  expect(failureOf(await adding)).toMatchObject({ step: 'trial', error: { code: 'DAEMON_STOPPING' } });
  it.registry.close();
});

test('a server whose secrets cannot be removed with it is not uninstalled by half', async () => {
  const before = await installationIn(home);
  const [command, ...args] = fake('echo');
  doneOf(await before.add({ name: 'echo', command, args, env: KEY, trial: false }));
  before.registry.close();
  writeFileSync(join(home.mcpdHome, 'secrets.enc'), '{"version":2,"ciph');
  const it = await installationIn(home);
  await expect(it.installer.uninstall('echo', { purge: true })).rejects.toMatchObject({ code: 'SECRETS_DAMAGED' });
  expect(it.registry.server('echo')).not.toBeNull();
  expect(it.withdrawn).toEqual([]);
  it.registry.close();
});
