import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { McpdError } from '../../src/errors.ts';
import { homeFault, insideHome, prepareHome } from '../../src/home.ts';

let root = '';
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mcpd-home-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const prepare = (home: string) => prepareHome(home, { probe: true });

function refusalOf(home: string): McpdError {
  try {
    prepare(home);
  } catch (thrown) {
    if (thrown instanceof McpdError) return thrown;
    throw thrown;
  }
  throw new RangeError(`${home} was accepted`);
}

test('a home that is not there is created for its owner alone, with what lies above it', () => {
  const home = join(root, 'a', 'b');
  prepare(home);
  expect(statSync(home).mode & 0o777).toBe(0o700);
  writeFileSync(join(home, 'file'), '');
  expect(statSync(join(home, 'file')).mode & 0o077).toBe(0);
});

test('a home that others may read is refused, and left as it is', () => {
  const home = join(root, 'open');
  mkdirSync(home);
  chmodSync(home, 0o755);
  expect(refusalOf(home).report()).toMatchObject({ code: 'HOME_UNSAFE', fix: `chmod 700 ${home}` });
  expect(statSync(home).mode & 0o777).toBe(0o755);
});

test('a home below a folder that everybody may change is refused', () => {
  const shared = join(root, 'shared');
  mkdirSync(join(shared, 'home'), { recursive: true, mode: 0o700 });
  chmodSync(shared, 0o777);
  expect(refusalOf(join(shared, 'home'))).toMatchObject({
    code: 'HOME_UNSAFE',
    message: expect.stringContaining(shared),
  });
  chmodSync(shared, 0o1777);
  expect(prepare(join(shared, 'home'))).toEqual(process.getuid?.() === 0 ? [expect.stringContaining('root')] : []);
});

test('a link of our own leads to a home, but not past an unsafe folder', () => {
  const real = join(root, 'real');
  mkdirSync(real, { mode: 0o700 });
  symlinkSync(real, join(root, 'link'));
  prepare(join(root, 'link'));

  mkdirSync(join(root, 'shared', 'home'), { recursive: true, mode: 0o700 });
  chmodSync(join(root, 'shared'), 0o777);
  symlinkSync(join(root, 'shared', 'home'), join(root, 'trap'));
  expect(refusalOf(join(root, 'trap')).code).toBe('HOME_UNSAFE');
});

test('a home where no folder can be made is refused, and not asked for without end', () => {
  expect(refusalOf('/proc/self/none/home')).toMatchObject({
    code: 'HOME_UNWRITABLE',
    parts: { fix: 'name a folder in MCPD_HOME that you may write to' },
  });
});

test('a file in the place of the home, or of a folder above it, is named', () => {
  writeFileSync(join(root, 'file'), '');
  expect(refusalOf(join(root, 'file'))).toMatchObject({
    code: 'HOME_UNSAFE',
    message: expect.stringContaining('not a folder'),
  });
  expect(refusalOf(join(root, 'file', 'home')).code).toBe('HOME_UNSAFE');
});

test('a link to nowhere and a circle of links are told as such', () => {
  symlinkSync(join(root, 'nowhere'), join(root, 'dangling'));
  expect(['HOME_UNSAFE', 'HOME_UNWRITABLE']).toContain(refusalOf(join(root, 'dangling')).code);
  symlinkSync(join(root, 'circle'), join(root, 'circle'));
  expect(refusalOf(join(root, 'circle')).code).toBe('HOME_UNSAFE');
});

test('each kind of failed write has its own code', () => {
  const codes = (['EROFS', 'EACCES', 'ENOSPC', 'EDQUOT', 'EMFILE', 'EIO'] as const).map(
    (errno) => homeFault(Object.assign(new Error(errno), { code: errno }), 'writing failed').code,
  );
  expect(codes).toEqual([
    'HOME_UNWRITABLE',
    'HOME_UNWRITABLE',
    'DISK_FULL',
    'DISK_FULL',
    'OUT_OF_FILES',
    'HOME_UNWRITABLE',
  ]);
});

test('a full disk is found when the home is prepared', { skip: !isFullDevice() }, () => {
  // /dev/full answers every write as a full disk does.
  const home = join(root, 'full');
  mkdirSync(home, { mode: 0o700 });
  symlinkSync('/dev/full', join(home, `probe-${process.pid}`));
  expect(refusalOf(home).code).toBe('DISK_FULL');
});

test('a home deeper than a socket path may be long has working sockets, and the working folder stays', async () => {
  const home = join(root, 'x'.repeat(120), 'y'.repeat(120));
  prepare(home);
  const before = process.cwd();
  const server = createServer((socket) => socket.end('hello'));
  await new Promise<void>((resolve) => insideHome(home, () => server.listen('s.sock', resolve)));
  const text = await new Promise<string>((resolve, reject) => {
    const socket = insideHome(home, () => connect('s.sock'));
    socket.once('data', (data) => resolve(String(data))).once('error', reject);
  });
  await new Promise<void>((resolve) => {
    insideHome(home, () => server.close(() => resolve()));
  });
  expect(text).toBe('hello');
  expect(process.cwd()).toBe(before);
  expect(() => lstatSync(join(home, 's.sock'))).toThrow();
});

function isFullDevice(): boolean {
  return process.platform === 'linux' && statSync('/dev/full', { throwIfNoEntry: false }) !== undefined;
}
