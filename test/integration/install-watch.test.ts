import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { WATCH_DEBOUNCE_MS, WATCH_RESTARTS_PER_MINUTE_MAX } from '../../src/operation-limits.ts';
import { createWatch, type Watch } from '../../src/watch.ts';

describe('the watch of development folders and declared files', () => {
  let home: string;
  let folder: string;
  let file: string;
  let watch: Watch;
  let changes: string[];
  let troubles: string[];
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'mcpd-watch-'));
    folder = join(home, 'server');
    file = join(home, 'mcpd.json');
    mkdirSync(join(folder, 'dist'), { recursive: true });
    writeFileSync(join(folder, 'index.js'), '1');
    writeFileSync(file, '{}');
    changes = [];
    troubles = [];
    watch = createWatch({
      onChange: (path, what) => changes.push(`${path.slice(home.length + 1)}: ${what}`),
      onTrouble: (_, text) => troubles.push(text.slice(home.length + 1)),
    });
  });
  afterEach(async () => {
    await watch.close();
    rmSync(home, { recursive: true, force: true });
  });

  const until = (check: () => void) => vi.waitFor(check, { timeout: 45_000, interval: 20 });
  /** Long enough for a gathered change to be told, if there were one. */
  const quiet = () => new Promise((done) => setTimeout(done, WATCH_DEBOUNCE_MS * 3));

  test('changes made together are told once, and build output is not told', async () => {
    await watch.addFolder(folder, join(folder, 'index.js'));
    writeFileSync(join(folder, 'dist', 'index.js'), 'built');
    writeFileSync(join(folder, 'server.log'), 'started');
    writeFileSync(join(folder, 'index.js'), '22');
    writeFileSync(join(folder, 'other.js'), '2');
    await until(() => expect(changes).toHaveLength(1));
    await quiet();
    expect(changes).toHaveLength(1);
    expect(changes[0]).toMatch(/^server: (index|other)\.js and 1 more file changed$/);
  });

  test('the output that the server is started from is told', async () => {
    await watch.addFolder(folder, join(folder, 'dist', 'index.js'));
    writeFileSync(join(folder, 'dist', 'index.js'), 'built');
    await until(() => expect(changes).toEqual(['server: dist/index.js changed']));
  });

  test('a file that an editor replaces is seen, each time', async () => {
    await watch.addFolder(folder, join(folder, 'index.js'));
    await watch.addFile(file);
    for (let round = 1; round <= 2; round++) {
      for (const path of [join(folder, 'index.js'), file]) {
        writeFileSync(`${path}.tmp`, 'x'.repeat(round));
        renameSync(`${path}.tmp`, path);
      }
      await until(() => expect(changes).toHaveLength(round * 2));
    }
    expect(new Set(changes)).toEqual(new Set(['server: index.js changed', 'mcpd.json: the file changed']));
  });

  test('a folder that is deleted and made again is watched again', async () => {
    await watch.addFolder(folder, join(folder, 'index.js'));
    rmSync(folder, { recursive: true });
    await until(() => expect(troubles.some((text) => text.startsWith('server is gone'))).toBe(true));
    changes.length = 0;
    mkdirSync(folder);
    await until(() => expect(changes).toHaveLength(1));
    writeFileSync(join(folder, 'index.js'), 'new');
    await until(() => expect(changes.at(-1)).toBe('server: index.js changed'));
  });

  test('a folder that is swapped for another of its name is watched on', async () => {
    await watch.addFolder(folder, join(folder, 'index.js'));
    renameSync(folder, `${folder}.old`);
    mkdirSync(folder);
    writeFileSync(join(folder, 'index.js'), 'other');
    await until(() => expect(changes.some((text) => text.includes('the folder'))).toBe(true));
    changes.length = 0;
    writeFileSync(join(folder, 'index.js'), 'another');
    await until(() => expect(changes).toContain('server: index.js changed'));
  });

  test('a folder and a file are watched through links, and when a link leads elsewhere', async () => {
    const other = join(home, 'other');
    mkdirSync(other);
    for (const path of ['index.js', 'mcpd.json']) writeFileSync(join(other, path), 'other');
    const [link, fileLink] = [join(home, 'link'), join(home, 'link.json')];
    symlinkSync(folder, link);
    symlinkSync(file, fileLink);
    await watch.addFolder(link, join(link, 'index.js'));
    await watch.addFile(fileLink);
    await quiet();
    expect(changes).toEqual([]);

    writeFileSync(join(folder, 'index.js'), '22');
    writeFileSync(file, '{"a":1}');
    await until(() => expect([...changes].sort()).toEqual(['link.json: the file changed', 'link: index.js changed']));

    for (const [path, target] of [
      [link, other],
      [fileLink, join(other, 'mcpd.json')],
    ] as const) {
      symlinkSync(target, `${path}.new`);
      renameSync(`${path}.new`, path);
    }
    await until(() =>
      expect(changes.slice(2).sort()).toEqual(['link.json: the file changed', 'link: the folder changed']),
    );
    writeFileSync(join(other, 'index.js'), '333');
    await until(() => expect(changes).toHaveLength(5));
    expect(changes[4]).toBe('link: index.js changed');
  });

  test('a declared file that is deleted changes nothing until it is back', async () => {
    await watch.addFile(file);
    rmSync(file);
    await until(() => expect(troubles).toHaveLength(1));
    expect(changes).toEqual([]);
    writeFileSync(file, '{"mcpServers":{}}');
    await until(() => expect(changes).toEqual(['mcpd.json: the file changed']));
  });

  test('a path that changes all the time is held back, and says so', async () => {
    await watch.addFile(file);
    for (let count = 0; changes.length < WATCH_RESTARTS_PER_MINUTE_MAX; count++) {
      writeFileSync(file, `{"n":${count}}`);
      const before = changes.length;
      await until(() => expect(changes.length).toBeGreaterThan(before));
    }
    writeFileSync(file, '{"last":true}');
    await until(() => expect(troubles).toEqual([expect.stringMatching(/^mcpd\.json changed more than 20 times/)]));
    await quiet();
    expect(changes).toHaveLength(WATCH_RESTARTS_PER_MINUTE_MAX);
  });

  test('nothing is told after a path was removed', async () => {
    await watch.addFolder(folder, null);
    await watch.remove(folder);
    writeFileSync(join(folder, 'index.js'), 'changed');
    await quiet();
    expect(changes).toEqual([]);
  });
});
