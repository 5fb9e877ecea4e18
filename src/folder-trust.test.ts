import { expect, test } from 'vitest';
import { type FolderFacts, type Identity, judgeHome, judgeStep } from './folder-trust.ts';

const ANN: Identity = { uid: 1000, gid: 1000, rootUid: 0 };

function folder(facts: Partial<FolderFacts>): FolderFacts {
  return { path: '/home/ann/.mcpd', kind: 'folder', uid: 1000, gid: 1000, mode: 0o40700, ...facts };
}

test('a folder of our own that nobody else may enter is a home', () => {
  expect(judgeHome(folder({}), ANN)).toBeNull();
});

test('a home that others may enter is refused, with the command that closes it', () => {
  for (const mode of [0o755, 0o710, 0o701, 0o770]) {
    expect(judgeHome(folder({ mode }), ANN)).toMatchObject({ fix: 'chmod 700 /home/ann/.mcpd' });
  }
});

test('a home of another user is refused, for root as well', () => {
  expect(judgeHome(folder({ uid: 1001 }), ANN)?.why).toBe('it belongs to user 1001, and this is user 1000');
  expect(judgeHome(folder({}), { uid: 0, gid: 0, rootUid: 0 })?.why).toBe(
    'it belongs to user 1000, and this is user 0',
  );
});

test('a file or a device is no home', () => {
  expect(judgeHome(folder({ kind: 'other' }), ANN)?.why).toBe('it is not a folder');
});

test('folders of root and of our own are a safe way, /tmp with its sticky bit too', () => {
  expect(judgeStep(folder({ path: '/', uid: 0, gid: 0, mode: 0o755 }), ANN)).toBeNull();
  expect(judgeStep(folder({ path: '/tmp', uid: 0, gid: 0, mode: 0o1777 }), ANN)).toBeNull();
  expect(judgeStep(folder({ path: '/home/ann', mode: 0o755 }), ANN)).toBeNull();
});

test('a folder that everybody may change is no safe way', () => {
  expect(judgeStep(folder({ path: '/srv/all', uid: 0, mode: 0o777 }), ANN)).toMatchObject({
    fix: 'chmod o-w /srv/all',
  });
});

test('a writing group is refused unless it is the private group of the owner', () => {
  expect(judgeStep(folder({ path: '/home/ann', mode: 0o775 }), ANN)).toBeNull();
  expect(judgeStep(folder({ path: '/srv/team', gid: 50, mode: 0o775 }), ANN)?.why).toContain('group 50');
});

test('a folder or link of another user on the way is refused, with a sticky bit too', () => {
  expect(judgeStep(folder({ path: '/tmp/eve', uid: 1001, mode: 0o1777 }), ANN)?.why).toContain('user 1001');
  expect(judgeStep(folder({ path: '/tmp/link', kind: 'link', uid: 1001, mode: 0o777 }), ANN)?.why).toContain(
    'user 1001',
  );
});

test('a link of our own is followed', () => {
  expect(judgeStep(folder({ path: '/home/ann/.mcpd', kind: 'link', mode: 0o777 }), ANN)).toBeNull();
});

test('the owner of / counts as root, whatever its number (a container without root)', () => {
  const me: Identity = { uid: 1000, gid: 1000, rootUid: 65_534 };
  expect(judgeStep(folder({ path: '/', uid: 65_534, gid: 65_534, mode: 0o755 }), me)).toBeNull();
});
