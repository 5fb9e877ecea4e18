import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect } from 'vitest';
import { installedPackage } from '../harness/installed-package.ts';
import { test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { gone } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

const NEWER_VERSION = '99.0.0';
let folder = '';
let newer = '';

beforeAll(async () => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcpd-newer-')));
  newer = await installedPackage(folder, NEWER_VERSION);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a newer command that meets an older daemon says so, lets its calls end, and replaces it; hosts go on', async ({
  machine,
}) => {
  const old = await machine.ok('up', '--json');
  await machine.add('slow', 'slow');
  const host = await machine.connected();
  const before = await host.tools();
  const call = host.call('slow__slow', { ms: 3000 });
  await until('the call to arrive', () => machine.records('open').length === 1);

  const ran = await machine.cliWith({ package: newer }, 'up', '--json');

  expect(ran.code).toBe(0);
  expect(ran.stderr).toContain(`mcpd ${old.version} runs and this is ${NEWER_VERSION}`);
  expect(ran.json).toMatchObject({ version: NEWER_VERSION, engine: 'pm2', servers: 1 });
  await gone(old.pid);
  expect(textOf(await call)).toBe('after 3000 ms');
  expect(textOf(await host.call('slow__fast'))).toBe('fast');
  expect(await host.tools()).toEqual(before);
  expect([host.notifications, host.strays, host.exit]).toEqual([[], [], undefined]);

  // The older command uses the newer daemon, and does not put itself in its place.
  expect(await machine.ok('status', '--json')).toMatchObject({ pid: ran.json.pid, version: NEWER_VERSION });
  expect(await machine.ok('list', '--json')).toMatchObject([{ name: 'slow' }]);
  expect(await machine.ok('up', '--json')).toMatchObject({ pid: ran.json.pid });
});

test('looking at the status replaces nothing', async ({ machine }) => {
  const { pid, version } = await machine.ok('up', '--json');
  const ran = await machine.cliWith({ package: newer }, 'status', '--json');
  expect([ran.code, ran.stderr]).toEqual([0, '']);
  expect(ran.json).toMatchObject({ pid, version });
});

test('an older daemon that a host had started is replaced by a newer command, and is kept by pm2 from then on', async ({
  machine,
}) => {
  const host = await machine.connected();
  const old = await machine.ok('status', '--json');
  expect(old.engine).toBe('direct');
  const ran = await machine.cliWith({ package: newer }, 'list');
  expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('is replaced')]);
  expect(await machine.ok('status', '--json')).toMatchObject({ version: NEWER_VERSION, engine: 'pm2' });
  expect(await host.result('ping')).toEqual({});
});
