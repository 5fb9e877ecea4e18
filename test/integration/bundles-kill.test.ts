import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { NODE_SERVER, writeBundle } from '../harness/bundle.ts';
import { bundled } from '../harness/bundled-source.ts';
import { temporaryHome } from '../harness/home.ts';
import { doneOf, installationIn } from '../harness/installing.ts';
import { until } from '../harness/until.ts';

const KILLED_AT = new URL('../servers/killed-at.mjs', import.meta.url).href;
/** A third of the steps of one file (open, write, close) is left out of each. */
const EVERY = 4;
const FILES = ['server/index.js', ...[1, 2, 3, 4].map((n) => `server/lib/${n}.js`)];

test('a bundle whose install is killed leaves nothing that outlives the next sweep, and the next run finishes it', async () => {
  const home = await temporaryHome();
  const { mcpdHome, userHome, env } = home;
  const packages = join(mcpdHome, 'packages');
  const spec = writeBundle(userHome, { files: Object.fromEntries(FILES.map((path) => [path, NODE_SERVER])) });
  const program = await bundled('test/integration/programs/killed-bundle.ts', home.folder('program'));
  // What is bundled looks for its own package above itself.
  copyFileSync(join(packageRoot(), 'package.json'), join(home.root, 'program', 'package.json'));
  const inPackages = () =>
    existsSync(packages) ? readdirSync(packages, { recursive: true, encoding: 'utf8' }).sort() : [];
  const whole = ['manifest.json', 'server', 'server/lib', ...FILES].map((path) => `tiny-bundle/1.2.3/${path}`);
  const installed = ['tiny-bundle', 'tiny-bundle/1.2.3', ...whole].sort();
  const seen: string[] = [];

  /** Whether it was killed before that step; it was done otherwise. */
  const killedAt = async (step: number): Promise<boolean> => {
    const given = JSON.stringify({ mcpdHome, userHome, env, spec });
    const child = spawn(process.execPath, ['--import', KILLED_AT, program, given], {
      stdio: 'inherit',
      env: { ...env, KILL_AT: String(step) },
    });
    const [code, killed] = await once(child, 'close');
    expect([code, killed], `step ${step}`).toEqual(killed === null ? [0, null] : [null, 'SIGKILL']);
    await until('all that it had started to be gone', () => home.processes().length === 0);
    return killed !== null;
  };

  try {
    for (let step = 2; await killedAt(step); step += EVERY) {
      seen.push(...inPackages());
      const it = await installationIn(home, { catalog: [] });
      try {
        await it.installer.lockReport({ deep: false, server: null });
        const isRegistered = it.registry.server('tiny-bundle') !== null;
        expect([[], installed], `after the sweep, killed at step ${step}`).toContainEqual(inPackages());
        if (!isRegistered) doneOf(await it.install({ spec }));
        expect(inPackages(), `finished, killed at step ${step}`).toEqual(installed);
        await it.installer.uninstall('tiny-bundle', { purge: true });
        expect(inPackages()).toEqual([]);
      } finally {
        it.registry.close();
      }
    }
    expect(inPackages()).toEqual(installed);
    // It was killed while it read, while it unpacked, and when all was there.
    expect(seen).toContainEqual(expect.stringMatching(/^\.bundle-[^/]+\/bundle\.mcpb$/));
    expect(seen).toContainEqual(expect.stringMatching(/^tiny-bundle\/\.fetching-[^/]+\/server\//));
    expect(seen).toContain('tiny-bundle/1.2.3/server/index.js');
  } finally {
    expect(await home.cleanup()).toEqual([]);
  }
});

test('a sweep takes what a killed one was reading, and leaves what this one has read', async () => {
  const home = await temporaryHome();
  const packages = join(home.mcpdHome, 'packages');
  const spec = writeBundle(home.userHome, {});
  const first = await installationIn(home, { catalog: [] });
  await first.installer.plan({ spec }, { exact: false });
  first.registry.close();
  const [left] = readdirSync(packages);
  // A file of somebody's, which no sweep may stumble over.
  writeFileSync(join(packages, 'notes.txt'), '');
  const next = await installationIn(home, { catalog: [] });
  await next.installer.lockReport({ deep: false, server: null });
  expect([left, readdirSync(packages)]).toEqual([expect.stringMatching(/^\.bundle-/), ['notes.txt']]);
  await next.installer.plan({ spec }, { exact: false });
  doneOf(await next.install({ spec }));
  next.registry.close();
  first.ending.abort();
  next.ending.abort();
  await home.cleanup();
});
