import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { inFiles, keptText } from '../test/harness/secrets.ts';
import { McpdError } from './errors.ts';
import { type Paths, pathsOf } from './paths.ts';
import { openSecrets } from './secrets.ts';

describe('secrets', () => {
  let folder: string;
  let paths: Paths;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'mcpd-secrets-'));
    paths = pathsOf(folder);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const values = (entries: Record<string, string>) => new Map(Object.entries(entries));

  test('what was set is there for the next daemon, in a file that only its owner reads', async () => {
    const secrets = await openSecrets(paths, inFiles());
    expect(secrets.servers()).toEqual([]);
    await secrets.set('github', values({ TOKEN: 'ghp_1', OTHER: 'é"\n' }));
    for (const file of [paths.secrets, paths.secretKey]) expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readFileSync(paths.secrets, 'latin1')).not.toMatch(/github|TOKEN|ghp_1/);

    const later = await openSecrets(paths, inFiles());
    expect(later.get('github', 'TOKEN')).toBe('ghp_1');
    expect([...later.mapOf('github')]).toEqual([
      ['TOKEN', 'ghp_1'],
      ['OTHER', 'é"\n'],
    ]);
    expect(later.names('github')).toEqual(['OTHER', 'TOKEN']);
    expect(later.mapOf('weather').size).toBe(0);
  });

  test('some secrets or all of a server are removed', async () => {
    const secrets = await openSecrets(paths, inFiles());
    await secrets.set('a', values({ X: '1', Y: '2' }));
    await secrets.set('b', values({ Z: '3' }));
    expect(await secrets.remove('a', ['X', 'none'])).toBe(true);
    expect(await secrets.remove('a', ['X'])).toBe(false);
    expect(await secrets.remove('b')).toBe(true);
    expect((await openSecrets(paths, inFiles())).servers()).toEqual(['a']);
    expect(keptText(folder)).not.toContain('"Z"');
  });

  test('all secrets of a server are replaced at once, and a write that fails keeps the old ones', async () => {
    const secrets = await openSecrets(paths, inFiles());
    await secrets.set('a', values({ X: '1', Y: '2' }));
    await secrets.set('b', values({ Z: '3' }));
    await secrets.replace('a', values({ Y: 'new' }));
    const later = await openSecrets(paths, inFiles());
    expect([...later.mapOf('a')]).toEqual([['Y', 'new']]);
    expect(later.servers()).toEqual(['a', 'b']);

    rmSync(folder, { recursive: true });
    await expect(later.replace('a', values({ Y: 'newer' }))).rejects.toMatchObject({ code: 'HOME_UNWRITABLE' });
    expect(later.get('a', 'Y')).toBe('new');
  });

  test('twenty changes at once are all kept, and no temporary file stays', async () => {
    const secrets = await openSecrets(paths, inFiles());
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => secrets.set(`server-${index}`, values({ KEY: `${index}` }))),
    );
    expect((await openSecrets(paths, inFiles())).servers()).toHaveLength(20);
    expect(readdirSync(folder).sort()).toEqual(['secrets.enc', 'secrets.key']);
  });

  test('names that are special to JavaScript are plain names here', async () => {
    const secrets = await openSecrets(paths, inFiles());
    await secrets.set('__proto__', values({ constructor: 'c', ['__proto__']: 'p' }));
    const later = await openSecrets(paths, inFiles());
    expect(later.get('__proto__', 'constructor')).toBe('c');
    expect(later.get('other', 'toString')).toBeUndefined();
    expect(({} as Record<string, unknown>)['constructor']).toBe(Object);
  });

  test.each([
    ['cut in the middle', '{"version":1,"secrets":{"a":{"TOKEN":"hunter2'],
    ['another shape', '{"version":1,"secrets":{"a":{"TOKEN":7}}}'],
    ['another version', '{"version":9,"secrets":{}}'],
    ['empty', ''],
  ])('a damaged file (%s) is refused, explained and kept as it is', async (_, text) => {
    writeFileSync(paths.plainSecrets, text);
    const secrets = await openSecrets(paths, inFiles());
    expect(secrets.damage?.code).toBe('SECRETS_DAMAGED');
    expect(() => secrets.get('a', 'TOKEN')).toThrow(McpdError);
    expect(() => secrets.mapOf('a')).toThrow(McpdError);
    await expect(secrets.set('a', values({ X: '1' }))).rejects.toMatchObject({ code: 'SECRETS_DAMAGED' });
    await expect(secrets.remove('a')).rejects.toMatchObject({ code: 'SECRETS_DAMAGED' });
    expect(JSON.stringify(secrets.damage?.report())).not.toContain('hunter2');
    expect(readFileSync(paths.plainSecrets, 'utf8')).toBe(text);
    expect(existsSync(paths.secrets)).toBe(false);
  });

  test('rights that let others read are narrowed', async () => {
    await (await openSecrets(paths, inFiles())).set('a', values({ X: '1' }));
    for (const file of [paths.secrets, paths.secretKey]) chmodSync(file, 0o644);
    await openSecrets(paths, inFiles());
    for (const file of [paths.secrets, paths.secretKey]) expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test('a symbolic link is not followed', async () => {
    const target = join(folder, 'elsewhere.json');
    writeFileSync(target, '{"version":1,"secrets":{}}');
    symlinkSync(target, paths.secrets);
    await expect(openSecrets(paths, inFiles())).rejects.toMatchObject({ code: 'HOME_UNWRITABLE' });
  });

  test('what a killed writer left is removed', async () => {
    writeFileSync(join(folder, '.secrets.json.abcdef'), '{"version":1,"secrets":{"a":{"K":"v"}}}');
    await openSecrets(paths, inFiles());
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a write that fails changes nothing, shows no value, and the next one works', async () => {
    const secrets = await openSecrets(paths, inFiles());
    await secrets.set('a', values({ K: 'first' }));
    rmSync(folder, { recursive: true });
    const failure = await secrets.set('a', values({ K: 'second' })).catch((error: unknown) => error);
    expect(failure).toMatchObject({ code: 'HOME_UNWRITABLE' });
    expect(String(failure)).not.toContain('second');
    expect(secrets.get('a', 'K')).toBe('first');
    expect(existsSync(paths.secrets)).toBe(false);
  });
});
