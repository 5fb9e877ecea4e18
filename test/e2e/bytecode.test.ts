import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'vitest';
import { DAEMON_NODE_OPTIONS } from '../../src/limits.ts';
import { test } from '../harness/machine.ts';

/** What node makes of the bytecode beside a program, under the options with which it is started: '' when it takes it. */
function refusal(folder: string, name: string, options: readonly string[]): string {
  const program = `
    const { readFileSync } = require('node:fs'), { Script } = require('node:vm');
    const source = '(function(require,__dirname){' + readFileSync('${name}.cjs', 'utf8') + '\\n})';
    const { cachedDataRejected } = new Script(source, { cachedData: readFileSync('${name}.bytecode') });
    if (cachedDataRejected) process.stdout.write('refused');`;
  const { stdout, stderr } = spawnSync(process.execPath, [...options, '-e', program], { cwd: folder });
  return `${stdout}${stderr}`;
}

test('the shim and the daemon are started from the bytecode that the build made', ({ machine }) => {
  const dist = join(machine.package, 'dist');
  expect(refusal(dist, 'shim', [])).toBe('');
  expect(refusal(dist, 'daemon-main', DAEMON_NODE_OPTIONS)).toBe('');
});
