import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSecrets } from '../../src/secrets.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';

const KILLS = 40;

let home: TemporaryHome;
beforeEach(async () => {
  home = await temporaryHome();
});
afterEach(async () => {
  expect(await home.cleanup()).toEqual([]);
});

test(`${KILLS} times SIGKILL while secrets are written: the file is whole each time, and what was said to be kept is there`, async () => {
  const path = join(home.mcpdHome, 'secrets.json');
  const writer = join(home.root, 'writer.mjs');
  const source = fileURLToPath(new URL('../../src/secrets.ts', import.meta.url));
  const contents = `
    import { openSecrets } from ${JSON.stringify(source)};
    const secrets = await openSecrets(${JSON.stringify(path)});
    for (let n = Number(process.argv[2]); ; n++) {
      await secrets.set('server', new Map([['LAST', String(n)], ['FILL', 'x'.repeat(200_000)]]));
      process.stdout.write(n + '\\n');
    }`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: home.root },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  });
  writeFileSync(writer, outputFiles[0]?.text ?? '');

  let kept = 0;
  for (let round = 0; round < KILLS; round++) {
    const child = spawn(process.execPath, [writer, String(kept + 1)], { stdio: ['ignore', 'pipe', 'inherit'] });
    home.track(child.pid);
    let said = '';
    child.stdout.on('data', (text: Buffer) => {
      said += text.toString();
    });
    await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, round % 7));
    child.kill('SIGKILL');
    await once(child, 'close');
    const last = Number(said.trimEnd().split('\n').at(-1));
    // Whoever reads now gets a whole file, without anything being repaired first.
    JSON.parse(readFileSync(path, 'utf8'));
    const secrets = await openSecrets(path);
    kept = Number(secrets.get('server', 'LAST'));
    expect(secrets.damage).toBeNull();
    // The one after the last it told of may be there: it was killed before it could tell.
    expect([last, last + 1]).toContain(kept);
    expect(readdirSync(home.mcpdHome)).toEqual(['secrets.json']);
  }
});
