import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inFiles } from '../../test/harness/secrets.ts';
import { McpdError } from '../errors.ts';
import { pathsOf } from '../paths.ts';
import { openSecrets, type Secrets } from '../secrets.ts';
import { Telemetry } from './telemetry.ts';

const OLD = { endpoint: 'http://127.0.0.1:9', metrics: false, headers: { Authorization: 'old' } };
const NEW = { endpoint: 'http://127.0.0.2:9', metrics: false, headers: { Authorization: 'new' } };

let folder: string;
let secrets: Secrets;
let setting: string | null;
/** What ails the disk under the registry. */
let registryFault: McpdError | null;
let telemetry: Telemetry;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcpd-telemetry-'));
  secrets = await openSecrets(pathsOf(folder), inFiles());
  [setting, registryFault] = [null, null];
  telemetry = new Telemetry({
    version: '1.0.0',
    startedAt: 0,
    environment: {},
    setting: () => setting,
    setSetting: (value) => {
      if (registryFault !== null) throw registryFault;
      setting = value;
    },
    headers: () => secrets.mapOf('telemetry'),
    setHeaders: (headers) => secrets.replace('telemetry', headers),
    look: () => Promise.reject(new RangeError('nobody looks')),
  });
  await telemetry.set(OLD);
});
afterEach(async () => {
  await telemetry.close();
  rmSync(folder, { recursive: true, force: true });
});

test('a receiver that cannot be written down leaves the one before it with its own secret', async () => {
  registryFault = new McpdError('DISK_FULL', { what: 'the disk is full' });
  await expect(telemetry.set(NEW)).rejects.toMatchObject({ code: 'DISK_FULL' });
  expect(telemetry.status()?.endpoint).toBe(OLD.endpoint);
  expect([...secrets.mapOf('telemetry')]).toEqual([['authorization', 'old']]);
  registryFault = null;
  await telemetry.set(NEW);
  expect([...secrets.mapOf('telemetry')]).toEqual([['authorization', 'new']]);
});

test('secrets that cannot be written leave the receiver and the secret before it', async () => {
  rmSync(folder, { recursive: true });
  await expect(telemetry.set(NEW)).rejects.toMatchObject({ code: 'HOME_UNWRITABLE' });
  expect(telemetry.status()?.endpoint).toBe(OLD.endpoint);
  expect([...secrets.mapOf('telemetry')]).toEqual([['authorization', 'old']]);
  expect(setting).toContain(OLD.endpoint);
});
