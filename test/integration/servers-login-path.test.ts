import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createLoginPath } from '../../src/servers/login-path.ts';
import { fake } from '../harness/fake.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { gone } from '../harness/processes.ts';
import { processBench } from '../harness/server-processes.ts';
import { until } from '../harness/until.ts';

let home: TemporaryHome;
beforeEach(async () => {
  home = await temporaryHome();
});
afterEach(async () => {
  // The shell was killed when its answer was there, and may need a moment more to be gone.
  await until('all shells to be gone', () => home.processes().length === 0);
  expect(await home.cleanup()).toEqual([]);
});

const profile = (text: string) => writeFileSync(join(home.userHome, '.profile'), text);
const pathOf = (more: NodeJS.ProcessEnv = {}) =>
  createLoginPath({ ...home.env, PATH: '/usr/bin:/bin:/own/of/daemon', ...more }).read();

test('the PATH of the login shell is read through whatever its profile prints', async () => {
  profile('echo "Welcome /usr/bin"; echo oops >&2; printf "\\033[1mbold"; export PATH="/opt/a b/bin:/bin:relative"\n');
  expect(await pathOf()).toBe('/opt/a b/bin:/bin:/usr/bin:/own/of/daemon');
});

test("a profile that replaces PATH keeps the daemon's own folders at the end", async () => {
  profile('PATH=/only/this:/usr/bin\n');
  expect(await pathOf()).toBe('/only/this:/usr/bin:/bin:/own/of/daemon');
});

test('a profile that hangs is given up and all it started is ended, and the usual folders serve', async () => {
  const pidFile = join(home.root, 'pid');
  profile(`sleep 1000 & echo $! > ${pidFile}; wait\n`);
  const path = await pathOf();
  expect(path.split(':').slice(0, 3)).toEqual(['/usr/bin', '/bin', '/own/of/daemon']);
  expect(path.split(':')).toContain('/usr/local/bin');
  await until('the pid', () => existsSync(pidFile));
  await gone(Number(readFileSync(pidFile, 'utf8')));
});

test('a shell that does not exist, or says nothing, costs no more than the usual folders', async () => {
  expect((await pathOf({ SHELL: '/no/such/shell' })).split(':')[2]).toBe('/own/of/daemon');
  expect((await pathOf({ SHELL: '/bin/false' })).split(':')[2]).toBe('/own/of/daemon');
});

test('commands are looked up on that PATH, and servers get it', async () => {
  const tools = home.folder('tools');
  writeFileSync(join(tools, 'my-tool'), '#!/bin/sh\nexec "$@"\n', { mode: 0o755 });
  profile(`export PATH="${tools}:/usr/bin"\n`);
  const { processes, start, ask } = processBench(home, { inherited: { ...home.env, PATH: '/usr/bin:/bin' } });
  processes.prepare();
  await start('tool', ['my-tool', ...fake('process')]);
  const { env } = (await ask('tool', 'facts')) as { env: Record<string, string> };
  expect(env['PATH']).toBe(`${tools}:/usr/bin:/bin`);
  await processes.dispose();
});
