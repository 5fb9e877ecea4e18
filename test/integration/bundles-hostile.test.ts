import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type Bundles, bundlesIn } from '../../src/install/bundle/bundles.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { signatureBlock, type ZipEntry, type ZipOptions, zipOf } from '../harness/zip.ts';

const MANIFEST: ZipEntry = {
  name: 'manifest.json',
  content: JSON.stringify({
    manifest_version: '0.3',
    name: 'tiny',
    version: '1.0.0',
    description: 'A tiny one',
    author: { name: 'Acme' },
    server: {
      type: 'node',
      entry_point: 'server.js',
      mcp_config: { command: 'node', args: ['${' + '__dirname}/server.js'] },
    },
  }),
};
const SERVER: ZipEntry = { name: 'server.js', content: 'process.exit(0)' };
const with_ = (...entries: ZipEntry[]): ZipEntry[] => [MANIFEST, SERVER, ...entries];
const ZEROS = Buffer.alloc(2 * 1024 * 1024);
/** A whole archive's end, as it might stand in a comment. */
const SECOND_END = zipOf([]);

/** Each with what the refusal must say. */
const HOSTILE: [what: string, entries: ZipEntry[], options: ZipOptions, code: string, said: string][] = [
  ['climbs', with_({ name: '../evil' }), {}, 'BUNDLE_UNSAFE', 'climbs out'],
  ['climbs from within', with_({ name: 'a/../../evil' }), {}, 'BUNDLE_UNSAFE', 'climbs out'],
  ['climbs as a folder', with_({ name: '../evil/' }), {}, 'BUNDLE_UNSAFE', 'climbs out'],
  ['is absolute', with_({ name: '/etc/evil' }), {}, 'BUNDLE_UNSAFE', 'is absolute'],
  ['is on a drive', with_({ name: 'C:/evil' }), {}, 'BUNDLE_UNSAFE', 'drive letters'],
  ['is relative to a drive', with_({ name: 'C:evil' }), {}, 'BUNDLE_UNSAFE', 'drive letters'],
  ['is a second stream', with_({ name: 'server.js:evil' }), {}, 'BUNDLE_UNSAFE', 'colon'],
  ['climbs by backslashes', with_({ name: '..\\evil' }), {}, 'BUNDLE_UNSAFE', 'backslash'],
  ['is a share', with_({ name: '\\\\host\\evil' }), {}, 'BUNDLE_UNSAFE', 'backslash'],
  ['has a NUL', with_({ name: 'evil\0.js' }), {}, 'BUNDLE_UNSAFE', 'control characters'],
  ['has a line break', with_({ name: 'evil\n.js' }), {}, 'BUNDLE_UNSAFE', 'control characters'],
  ['has no name', with_({ name: '' }), {}, 'BUNDLE_UNSAFE', 'no name'],
  ['is a dot', with_({ name: './evil' }), {}, 'BUNDLE_UNSAFE', 'normal path'],
  ['has an empty folder name', with_({ name: 'a//evil' }), {}, 'BUNDLE_UNSAFE', 'normal path'],
  ['has a name of 300 characters', with_({ name: 'e'.repeat(300) }), {}, 'BUNDLE_UNSAFE', 'more than 255 bytes'],
  ['has a path of 2000', with_({ name: 'evil/'.repeat(400) }), {}, 'BUNDLE_UNSAFE', 'longer than 1024'],
  ['lies in 60 folders', with_({ name: `${'e/'.repeat(60)}vil` }), {}, 'BUNDLE_UNSAFE', 'more than 40 folders'],
  ['is no UTF-8', with_({ name: Buffer.from([0x65, 0xff, 0xfe]) }), {}, 'BUNDLE_UNSAFE', 'not UTF-8'],
  ['is a link', with_({ name: 'link', content: '/etc', mode: 0o120777 }), {}, 'BUNDLE_UNSAFE', 'a symbolic link'],
  [
    'is a link, and a file through it',
    with_({ name: 'link', content: '/tmp', mode: 0o120777 }, { name: 'link/evil' }),
    {},
    'BUNDLE_UNSAFE',
    'a symbolic link',
  ],
  [
    'is a link of another system',
    with_({ name: 'link', system: 11, attributes: 0x4_00 }),
    {},
    'BUNDLE_UNSAFE',
    'a link',
  ],
  ['is a device', with_({ name: 'sda', mode: 0o060666 }), {}, 'BUNDLE_UNSAFE', 'a block device'],
  ['is a character device', with_({ name: 'tty', mode: 0o020666 }), {}, 'BUNDLE_UNSAFE', 'a character device'],
  ['is a pipe', with_({ name: 'pipe', mode: 0o010666 }), {}, 'BUNDLE_UNSAFE', 'a pipe'],
  ['is a socket', with_({ name: 'sock', mode: 0o140666 }), {}, 'BUNDLE_UNSAFE', 'a socket'],
  [
    'is a folder called like a file',
    with_({ name: 'evil', mode: 0o040755 }),
    {},
    'BUNDLE_UNSAFE',
    'does not fit its name',
  ],
  [
    'is a folder with content',
    with_({ name: 'evil/', content: 'x', deflated: false }),
    {},
    'BUNDLE_UNSAFE',
    'has content',
  ],
  ['is there twice', with_(SERVER), {}, 'BUNDLE_UNSAFE', 'twice'],
  ['has a twin by case', with_({ name: 'SERVER.js' }), {}, 'BUNDLE_UNSAFE', 'the same file on some systems'],
  [
    'has a twin folder by case',
    with_({ name: 'lib/a' }, { name: 'Lib/b' }),
    {},
    'BUNDLE_UNSAFE',
    'the same file on some',
  ],
  [
    'has a twin by Unicode form',
    with_({ name: 'caf\u00e9' }, { name: 'cafe\u0301' }),
    {},
    'BUNDLE_UNSAFE',
    'the same file',
  ],
  ['is a file and a folder', with_({ name: 'server.js/evil' }), {}, 'BUNDLE_UNSAFE', 'a file and a folder'],
  ['has two manifests', [MANIFEST, SERVER, MANIFEST], {}, 'BUNDLE_UNSAFE', 'twice'],
  ['has two manifests by case', with_({ ...MANIFEST, name: 'Manifest.JSON' }), {}, 'BUNDLE_UNSAFE', 'the same file'],
  ['has no manifest', [SERVER], {}, 'BUNDLE_INVALID', 'no manifest.json'],
  ['has its manifest in a folder', [{ ...MANIFEST, name: 'x/manifest.json' }], {}, 'BUNDLE_INVALID', 'not at the top'],
  [
    'shares the bytes of another',
    with_({ name: 'twin', content: 'process.exit(0)', sharesDataOf: 1, local: {} }),
    {},
    'BUNDLE_UNSAFE',
    'another name before',
  ],
  ['lies over another', with_({ ...SERVER, sharesDataOf: 1 }), {}, 'BUNDLE_UNSAFE', 'lies over another entry'],
  [
    'has another name before its data',
    with_({ name: 'good', local: { name: 'evil' } }),
    {},
    'BUNDLE_UNSAFE',
    'another name',
  ],
  ['has two sizes', with_({ name: 'big', content: 'abc', local: { bytes: 9 } }), {}, 'BUNDLE_UNSAFE', 'two sizes'],
  [
    'is packed in two ways',
    with_({ name: 'x', content: 'abcabcabc', local: { method: 0 } }),
    {},
    'BUNDLE_UNSAFE',
    'in two ways',
  ],
  [
    'has a second name',
    with_({
      name: 'good',
      extra: Buffer.concat([Buffer.from([0x75, 0x70, 9, 0, 1, 0, 0, 0, 0]), Buffer.from('evil')]),
    }),
    {},
    'BUNDLE_UNSAFE',
    'second name',
  ],
  ['is encrypted', with_({ name: 'x', content: 'x', flags: 0x801 }), {}, 'BUNDLE_UNSAFE', 'encrypted'],
  ['is strongly encrypted', with_({ name: 'x', content: 'x', flags: 0x841 }), {}, 'BUNDLE_INVALID', 'encryption'],
  ['is packed by an unknown method', with_({ name: 'x', content: 'x', method: 12 }), {}, 'BUNDLE_INVALID', 'method 12'],
  ['is a bomb by its ratio', with_({ name: 'zeros', content: ZEROS }), {}, 'BUNDLE_UNSAFE', 'times as large'],
  [
    'is a bomb of many',
    with_(
      ...Array.from({ length: 20 }, (_, index) => ({ name: `zeros-${index}`, content: ZEROS.subarray(0, 999_999) })),
    ),
    {},
    'BUNDLE_UNSAFE',
    'times as large',
  ],
  ['says to be huge', with_({ name: 'x', content: ZEROS, bytes: 600 * 1024 * 1024 }), {}, 'BUNDLE_UNSAFE', '600 MiB'],
  [
    'has more entries than permitted',
    Array.from({ length: 10_001 }, (_, index) => ({ name: `f${index}` })),
    {},
    'BUNDLE_UNSAFE',
    '10001 entries',
  ],
  [
    'hides entries behind its count',
    with_({ name: 'evil' }),
    { entryCount: 2 },
    'BUNDLE_UNSAFE',
    'more entries than it says',
  ],
  ['says to have more entries than it has', with_(), { entryCount: 5 }, 'BUNDLE_INVALID', ''],
  ['has a second end in its comment', with_(), { comment: SECOND_END }, 'BUNDLE_UNSAFE', 'directory of the archive'],
  ['has bytes behind it', with_(), { trailing: Buffer.from('evil') }, 'BUNDLE_UNSAFE', 'bytes behind it'],
  ['is manifestly no JSON', [{ name: 'manifest.json', content: '{"name":' }], {}, 'BUNDLE_INVALID', 'not JSON'],
  ['is no archive', [], { entryCount: 0 }, 'BUNDLE_INVALID', 'no manifest.json'],
];

/** What only shows when the bytes are read: nothing of it may stay either. */
const LYING: [what: string, entries: ZipEntry[], code: string, said: string][] = [
  ['has more bytes than it says', with_({ name: 'x', content: 'abc'.repeat(99), bytes: 50 }), 'BUNDLE_INVALID', ''],
  ['has fewer bytes than it says', with_({ name: 'x', content: 'abc'.repeat(99), bytes: 500 }), 'BUNDLE_INVALID', ''],
  ['has another checksum', with_({ name: 'x', content: 'abc', crc: 1 }), 'BUNDLE_INVALID', 'checksum'],
  [
    'is no deflated data',
    with_({ name: 'x', content: 'not deflated', deflated: false, method: 8 }),
    'BUNDLE_INVALID',
    '',
  ],
];

const never = new AbortController().signal;
let home: TemporaryHome;
let folder: string;
let bundles: Bundles;

beforeEach(async () => {
  home = await temporaryHome();
  folder = home.folder('packages');
  bundles = bundlesIn(folder, fetch, never);
});
afterEach(async () => {
  await home.cleanup();
});

function write(bytes: Buffer): { kind: 'file'; path: string } {
  const path = join(home.userHome, 'x.mcpb');
  writeFileSync(path, bytes);
  return { kind: 'file', path };
}

const open = (bytes: Buffer, sha256: string | null = null) =>
  bundles.take(write(bytes), sha256, never, () => undefined);

describe('a bundle is refused before a byte of it is written, and leaves no trace, when an entry', () => {
  test.each(HOSTILE)('%s', async (_, entries, options, code, said) => {
    await expect(open(zipOf(entries, options))).rejects.toMatchObject({ code, message: expect.stringContaining(said) });
    expect(readdirSync(folder)).toEqual([]);
    expect(readdirSync(home.root).includes('evil')).toBe(false);
  });
});

describe('a bundle is taken back when an entry', () => {
  test.each(LYING)('%s', async (_, entries, code, said) => {
    const bundle = await open(zipOf(entries));

    await expect(bundles.place(bundle, join(folder, 'tiny'), [], never)).rejects.toMatchObject({
      code,
      message: expect.stringContaining(said),
    });
    await bundles.discard(bundle);
    expect(readdirSync(folder)).toEqual([]);
  });
});

test('a bomb of one file is stopped at the size that the archive says, whatever comes out of it', async () => {
  const packed = deflateRawSync(Buffer.alloc(50 * 1024 * 1024));
  const entry = { name: 'bomb', content: packed, deflated: false, method: 8, bytes: packed.length + 1 };
  const bundle = await open(zipOf(with_({ ...entry, packedBytes: packed.length })));
  await expect(bundles.place(bundle, join(folder, 'tiny'), [], never)).rejects.toMatchObject({
    code: 'BUNDLE_INVALID',
  });
  await bundles.discard(bundle);
  expect(readdirSync(folder)).toEqual([]);
});

test('a file that is no archive, an empty one, half of one, and none at all are told apart from bundles', async () => {
  const whole = zipOf(with_());
  for (const bytes of [Buffer.alloc(0), Buffer.from('PK'), Buffer.alloc(200_000), whole.subarray(0, 100)])
    await expect(open(bytes)).rejects.toMatchObject({ code: 'BUNDLE_INVALID' });
  const missing = { kind: 'file', path: join(home.userHome, 'none.mcpb') } as const;
  await expect(bundles.take(missing, null, never, () => undefined)).rejects.toMatchObject({
    code: 'PACKAGE_UNKNOWN',
    parts: { why: 'the file does not exist' },
  });
  const aFolder = { kind: 'file', path: home.userHome } as const;
  await expect(bundles.take(aFolder, null, never, () => undefined)).rejects.toMatchObject({ code: 'PACKAGE_UNKNOWN' });
  expect(readdirSync(folder)).toEqual([]);
});

test('another file than the one that was published is refused, and both sums are named', async () => {
  await expect(open(zipOf(with_()), 'a'.repeat(64))).rejects.toMatchObject({
    code: 'INTEGRITY_MISMATCH',
    parts: { why: expect.stringMatching(/^its sha256 is [0-9a-f]{64}, and a{64} was published$/) },
  });
  expect(readdirSync(folder)).toEqual([]);
});

test('a signed bundle is read, whether its block counts as the comment of the archive or not', async () => {
  const block = signatureBlock();
  for (const options of [{ trailing: block }, { comment: block }]) {
    const bundle = await open(zipOf(with_(), options));
    expect(bundle.manifest.name).toBe('tiny');
    await bundles.discard(bundle);
  }
  // Of a bundle that is signed and has a comment of its own.
  const both = Buffer.concat([zipOf(with_(), { comment: Buffer.from('hello') }), block]);
  expect((await open(both)).content.files).toHaveLength(2);
});

test('what a killed daemon left of bundles goes with the next one', async () => {
  const left = join(folder, '.bundle-left');
  mkdirSync(left);
  writeFileSync(join(left, 'bundle.mcpb'), 'half');
  const bundle = await open(zipOf(with_()));
  expect(readdirSync(folder)).toHaveLength(1);
  await bundles.discard(bundle);
  expect(readdirSync(folder)).toEqual([]);
});
