import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemKeyring } from '../../src/keyring.ts';
import { type Paths, pathsOf } from '../../src/paths.ts';
import type { SecretSurroundings } from '../../src/secret-keys.ts';
import { openSecrets } from '../../src/secrets.ts';
import { secretsWhere } from '../../src/secrets-where.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { until } from '../harness/until.ts';

const PROGRAM = fileURLToPath(new URL('../servers/keyring.mjs', import.meta.url));
const VALUE = 'a-value-that-is-secret-1';
const KEY_1 = 'a'.repeat(64);

let home: TemporaryHome;
let paths: Paths;
let ring: string;
beforeEach(async () => {
  home = await temporaryHome();
  paths = pathsOf(home.mcpdHome);
  ring = join(home.root, 'keyring.json');
});
afterEach(async () => {
  expect(await home.cleanup()).toEqual([]);
});

type Mood = 'healthy' | 'silent' | 'locked' | 'forgetful' | 'babbling';

function surroundings(mood: Mood, env: NodeJS.ProcessEnv = {}, ms = 20_000): SecretSurroundings {
  const command = [process.execPath, PROGRAM, ring, mood] as const;
  return { env, keyring: systemKeyring({ command, env: home.env, promptMs: ms, answerMs: ms }) };
}

const one = new Map([['KEY', VALUE]]);
const kept = async () => (await secretsWhere(paths)).kept;
const files = () => readdirSync(home.mcpdHome).sort();

test('where a keyring answers it has the key, the file is useless without it, and later changes do not ask it again', async () => {
  const secrets = await openSecrets(paths, surroundings('healthy'));
  await secrets.set('bank', one);
  expect(await kept()).toBe('keyring');
  expect(files()).toEqual(['secrets.enc']);
  expect(readFileSync(paths.secrets, 'latin1') + readFileSync(ring, 'latin1')).not.toContain(VALUE);
  renameSync(ring, `${ring}.away`);
  await secrets.set('bank', new Map([['OTHER', 'x']]));
  renameSync(`${ring}.away`, ring);

  const later = await openSecrets(paths, surroundings('healthy'));
  await later.ready();
  expect([...later.mapOf('bank')]).toEqual([
    ['KEY', VALUE],
    ['OTHER', 'x'],
  ]);
});

test.each<[Mood, number]>([
  ['locked', 20_000],
  ['forgetful', 20_000],
  ['babbling', 20_000],
  ['silent', 300],
])('where the keyring is %s the key is in a file, and the secret is kept', async (mood, ms) => {
  await (await openSecrets(paths, surroundings(mood, {}, ms))).set('bank', one);
  expect(await kept()).toBe('file');
  expect(files()).toEqual(['secrets.enc', 'secrets.key']);
  // It stays there when a keyring answers one day: nothing moves unless somebody says so.
  const later = await openSecrets(paths, surroundings('healthy'));
  expect(later.get('bank', 'KEY')).toBe(VALUE);
  await later.settled();
  expect(await kept()).toBe('file');
});

test('a keyring that has gone locks the secrets, says what to do, and opens them as soon as it answers', async () => {
  await (await openSecrets(paths, surroundings('healthy'))).set('bank', one);
  const before = readFileSync(paths.secrets);
  const secrets = await openSecrets(paths, surroundings('locked'));
  await secrets.ready();
  expect(secrets.damage?.report()).toMatchObject({
    code: 'SECRETS_LOCKED',
    why: expect.stringContaining('the collection is locked'),
    fix: expect.stringContaining('unlock the keyring'),
  });
  expect(() => secrets.get('bank', 'KEY')).toThrow('cannot be read');
  await expect(secrets.set('bank', one)).rejects.toMatchObject({ code: 'SECRETS_LOCKED' });
  expect(secrets.names('bank')).toEqual([]);
  expect(readFileSync(paths.secrets)).toEqual(before);

  // The same daemon, and the keyring is unlocked meanwhile: it lost its file, and gets it back.
  renameSync(ring, `${ring}.away`);
  const patient = await openSecrets(paths, surroundings('healthy'));
  await patient.ready();
  expect(patient.damage?.parts.why).toContain('no longer has their key');
  renameSync(`${ring}.away`, ring);
  await patient.ready();
  expect(patient.get('bank', 'KEY')).toBe(VALUE);
});

test('a keyring that does not answer holds up nobody longer than he wants to wait', async () => {
  await (await openSecrets(paths, surroundings('healthy'))).set('bank', one);
  const secrets = await openSecrets(paths, surroundings('silent', {}, 60_000));
  await secrets.ready(10);
  expect(secrets.damage?.code).toBe('SECRETS_LOCKED');
  const [asked] = home.processes();
  if (asked !== undefined) process.kill(asked, 'SIGKILL');
  await until('the question to end', () => secrets.damage?.parts.why?.includes('ended') === true);
});

test('MCPD_SECRET_STORE moves the key to where it says, and takes it from where it was', async () => {
  await (await openSecrets(paths, surroundings('healthy', { MCPD_SECRET_STORE: 'file' }))).set('bank', one);
  expect(await kept()).toBe('file');
  const moved = await openSecrets(paths, surroundings('healthy', { MCPD_SECRET_STORE: 'keyring' }));
  await moved.settled();
  expect([await kept(), files()]).toEqual(['keyring', ['secrets.enc']]);
  const back = await openSecrets(paths, surroundings('healthy', { MCPD_SECRET_STORE: 'file' }));
  await back.ready();
  await back.settled();
  expect([await kept(), JSON.parse(readFileSync(ring, 'utf8'))]).toEqual(['file', {}]);
  expect(back.get('bank', 'KEY')).toBe(VALUE);

  // A keyring that must be and is not: what is kept can be read, and nothing is kept elsewhere.
  const forced = await openSecrets(paths, surroundings('locked', { MCPD_SECRET_STORE: 'keyring' }));
  await forced.settled();
  expect(forced.get('bank', 'KEY')).toBe(VALUE);
  expect(forced.finding).toContain('MCPD_SECRET_STORE=keyring');
  await expect(forced.set('bank', new Map([['NEW', 'x']]))).rejects.toMatchObject({ code: 'SECRETS_LOCKED' });
  expect(forced.names('bank')).toEqual(['KEY']);
});

test('MCPD_SECRET_KEY is the key while it is given; without it, or with another one, the file stays as it is', async () => {
  const given = { MCPD_SECRET_KEY: KEY_1 };
  await (await openSecrets(paths, surroundings('locked'))).set('bank', one);
  const secrets = await openSecrets(paths, surroundings('locked', given));
  await secrets.settled();
  expect([await kept(), files()]).toEqual(['variable', ['secrets.enc']]);
  expect((await openSecrets(paths, surroundings('locked', given))).get('bank', 'KEY')).toBe(VALUE);

  for (const env of [{}, { MCPD_SECRET_KEY: 'b'.repeat(64) }, { MCPD_SECRET_KEY: 'guess me' }]) {
    const locked = await openSecrets(paths, surroundings('locked', env));
    expect(locked.damage?.report()).toMatchObject({ code: 'SECRETS_LOCKED', fix: expect.stringContaining('export') });
    await expect(locked.set('bank', one)).rejects.toMatchObject({ code: 'SECRETS_LOCKED' });
  }
  rmSync(paths.secrets);
  const bad = await openSecrets(paths, surroundings('locked', { MCPD_SECRET_KEY: 'guess me' }));
  await expect(bad.set('bank', one)).rejects.toMatchObject({
    code: 'INPUT_INVALID',
    parts: { fix: 'make one with: openssl rand -base64 32' },
  });
});

test('a key file that was lost is asked for, and serves again when it is back', async () => {
  await (await openSecrets(paths, surroundings('locked'))).set('bank', one);
  renameSync(paths.secretKey, `${paths.secretKey}.away`);
  const secrets = await openSecrets(paths, surroundings('locked'));
  expect(secrets.damage?.report()).toMatchObject({
    code: 'SECRETS_LOCKED',
    fix: expect.stringContaining('put it back from a backup'),
  });
  renameSync(`${paths.secretKey}.away`, paths.secretKey);
  await secrets.ready();
  expect(secrets.get('bank', 'KEY')).toBe(VALUE);
});

test('the plain file of an earlier version is read at once, written encrypted, and removed', async () => {
  writeFileSync(paths.plainSecrets, JSON.stringify({ version: 1, secrets: { bank: { KEY: VALUE } } }));
  expect(await kept()).toBe('plain');
  const secrets = await openSecrets(paths, surroundings('locked'));
  expect(secrets.get('bank', 'KEY')).toBe(VALUE);
  await secrets.settled();
  expect([secrets.finding, files()]).toEqual([null, ['secrets.enc', 'secrets.key']]);

  // An earlier version that ran once more has written such a file again: its values are the newer ones.
  await secrets.set('bank', new Map([['OTHER', 'x']]));
  writeFileSync(paths.plainSecrets, JSON.stringify({ version: 1, secrets: { bank: { KEY: 'newer' } } }));
  const again = await openSecrets(paths, surroundings('locked'));
  await again.settled();
  expect([...again.mapOf('bank')]).toEqual([
    ['KEY', 'newer'],
    ['OTHER', 'x'],
  ]);
  expect(existsSync(paths.plainSecrets)).toBe(false);
});

test('the real program says that no keyring answers where there is no session bus, and ends', async () => {
  const keyring = systemKeyring({
    env: { ...home.env, DBUS_SESSION_BUS_ADDRESS: 'unix:path=/nonexistent/bus' },
    ...(process.platform === 'linux' ? {} : { command: [process.execPath, PROGRAM, ring, 'locked'] as const }),
  });
  await expect(keyring.get('nothing')).rejects.toThrow(/./);
});
