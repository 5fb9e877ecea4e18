import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pathsOf } from '../../src/paths.ts';
import { openSecrets } from '../../src/secrets.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { inFiles, keptText } from '../harness/secrets.ts';

const KILLS = 40;
/** More than any move takes. */
const STEPS_MAX = 100;
const KILLED_AT = new URL('../servers/killed-at.mjs', import.meta.url).href;

let home: TemporaryHome;
beforeEach(async () => {
  home = await temporaryHome();
});
afterEach(async () => {
  expect(await home.cleanup()).toEqual([]);
});

/** A program that opens the secrets of the home and goes on with `body`. */
async function program(body: string): Promise<string> {
  const file = join(home.root, 'program.mjs');
  const source = (name: string) => JSON.stringify(fileURLToPath(new URL(`../../src/${name}.ts`, import.meta.url)));
  const contents = `
    import { systemKeyring } from ${source('keyring')};
    import { pathsOf } from ${source('paths')};
    import { openSecrets } from ${source('secrets')};
    const secrets = await openSecrets(pathsOf(${JSON.stringify(home.mcpdHome)}), { env: process.env, keyring: systemKeyring() });
    ${body}`;
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: home.root },
    bundle: true,
    platform: 'node',
    format: 'esm',
    write: false,
  });
  writeFileSync(file, outputFiles[0]?.text ?? '');
  return file;
}

test(`${KILLS} times SIGKILL while secrets are written: the file is whole each time, and what was said to be kept is there`, async () => {
  const paths = pathsOf(home.mcpdHome);
  const writer = await program(`
    for (let n = Number(process.argv[2]); ; n++) {
      await secrets.set('server', new Map([['LAST', String(n)], ['FILL', 'x'.repeat(200_000)]]));
      process.stdout.write(n + '\\n');
    }`);

  let kept = 0;
  for (let round = 0; round < KILLS; round++) {
    const child = spawn(process.execPath, [writer, String(kept + 1)], {
      env: home.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
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
    JSON.parse(keptText(home.mcpdHome));
    const secrets = await openSecrets(paths, inFiles());
    kept = Number(secrets.get('server', 'LAST'));
    expect(secrets.damage).toBeNull();
    // The one after the last it told of may be there: it was killed before it could tell.
    expect([last, last + 1]).toContain(kept);
    expect(readdirSync(home.mcpdHome).sort()).toEqual(['secrets.enc', 'secrets.key']);
  }
});

const PLAIN = JSON.stringify({ version: 1, secrets: { bank: { KEY: 'of the old file' }, other: { A: 'a' } } });

test.each<[what: string, env: NodeJS.ProcessEnv, left: string[]]>([
  ['a plain file becomes an encrypted one', { MCPD_SECRET_STORE: 'file' }, ['secrets.enc', 'secrets.key']],
  ['another key takes the place of the first', { MCPD_SECRET_KEY: 'a'.repeat(64) }, ['secrets.enc']],
])(
  'SIGKILL at each step while %s: all secrets are there afterwards, and the next start ends it',
  async (_, env, left) => {
    const paths = pathsOf(home.mcpdHome);
    const surroundings = { ...inFiles(), env };
    const mover = await program('await secrets.settled(); process.stdout.write("moved");');
    let step = 1;
    for (let moved = false; !moved; step++) {
      expect(step, 'it never ends').toBeLessThan(STEPS_MAX);
      for (const name of readdirSync(home.mcpdHome)) rmSync(join(home.mcpdHome, name));
      writeFileSync(paths.plainSecrets, PLAIN, { mode: 0o600 });
      // Where the second key follows a first one, that one is made by an undisturbed start.
      if (env['MCPD_SECRET_KEY'] !== undefined) await (await openSecrets(paths, inFiles())).settled();
      const child = spawn(process.execPath, ['--import', KILLED_AT, mover], {
        env: { ...home.env, ...env, KILL_AT: String(step) },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      home.track(child.pid);
      child.stdout.on('data', () => {
        moved = true;
      });
      await once(child, 'close');
      const secrets = await openSecrets(paths, surroundings);
      expect([...secrets.mapOf('bank'), ...secrets.mapOf('other')], `killed at step ${step}`).toEqual([
        ['KEY', 'of the old file'],
        ['A', 'a'],
      ]);
      await secrets.settled();
      expect(secrets.finding).toBeNull();
      expect(readdirSync(home.mcpdHome).sort(), `killed at step ${step}`).toEqual(left);
    }
    // The steps were counted: some before, some between, some after.
    expect(step).toBeGreaterThan(15);
  },
);
