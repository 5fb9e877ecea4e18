import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { Host } from '../harness/host.ts';
import { textOf } from '../harness/message.ts';

let home: TemporaryHome;
let dist = '';

/** As the build does it, with the daemon in miniature. */
beforeEach(async () => {
  home = await temporaryHome();
  dist = home.folder('dist');
  const common = { bundle: true, platform: 'node', target: 'node20.19', logLevel: 'error', outdir: dist } as const;
  const cjs = { ...common, format: 'cjs', minify: true, outExtension: { '.js': '.cjs' } } as const;
  await build({ ...cjs, entryPoints: { stdio: 'cli/stdio/launcher.ts', shim: 'cli/stdio.ts' } });
  await build({ ...cjs, entryPoints: { daemon: 'test/harness/stand-in-daemon.ts' } });
  const input = '{"jsonrpc":"2.0","id":0,"method":"initialize"}\n{"jsonrpc":"2.0","id":1,"method":"tools/list"}\n';
  const made = spawnSync(process.execPath, ['scripts/shim-bytecode.mjs', join(dist, 'shim.cjs'), bytecode()], {
    input,
  });
  expect(made.stderr.toString()).toBe('');
  expect(made.status).toBe(0);
});

afterEach(async () => {
  await home.cleanup();
});

const bytecode = () => join(dist, 'shim.bytecode');

async function served(): Promise<string> {
  const host = new Host([process.execPath, join(dist, 'stdio.cjs'), '--host', 'zed'], { env: home.env });
  home.track(host.pid);
  await host.init();
  const said = textOf(await host.call('echo', { text: 'ö' }));
  await host.close();
  expect(host.stderr).toBe('');
  return said;
}

/** What the launcher's Node does with the bytecode. */
function refused(): string {
  const program = `
    const { readFileSync } = require('node:fs'), { Script } = require('node:vm');
    const source = '(function(require,__dirname){' + readFileSync('shim.cjs', 'utf8') + '\\n})';
    process.stdout.write(String(new Script(source, { cachedData: readFileSync('shim.bytecode') }).cachedDataRejected));`;
  return spawnSync(process.execPath, ['-e', program], { cwd: dist, env: home.env }).stdout.toString();
}

test('the shim runs from the bytecode that its build left', async () => {
  expect(refused()).toBe('false');
  expect(await served()).toBe('ö');
});

test('without bytecode it runs from its source', async () => {
  rmSync(bytecode());
  expect(await served()).toBe('ö');
});

test.each([
  [
    'of another Node',
    (bytes: Buffer) => Buffer.concat([bytes.subarray(0, 4), Buffer.from('no such V8!!'), bytes.subarray(16)]),
  ],
  ['that was cut', (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
  ['that is empty', () => Buffer.alloc(0)],
])('bytecode %s is refused, and it runs from its source', async (_, spoil) => {
  writeFileSync(bytecode(), spoil(readFileSync(bytecode())));
  expect(refused()).toBe('true');
  expect(await served()).toBe('ö');
});
