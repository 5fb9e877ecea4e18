import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { DAEMON_HEAP_OPTIONS } from '../../src/limits.ts';
import { test } from '../harness/machine.ts';

/** What node says to the bytecode beside a program, with the options that it sets for V8 first: '' when it takes it. */
function refusal(folder: string, name: string, options: readonly string[]): string {
  const program = `
    for (const option of ${JSON.stringify(options)}) require('node:v8').setFlagsFromString(option);
    const { readFileSync } = require('node:fs'), { Script } = require('node:vm');
    const source = '(function(require,__dirname){' + readFileSync('${name}.cjs', 'utf8') + '\\n})';
    const { cachedDataRejected } = new Script(source, { cachedData: readFileSync('${name}.bytecode') });
    if (cachedDataRejected) process.stdout.write('refused');`;
  const { stdout, stderr } = spawnSync(process.execPath, ['-e', program], { cwd: folder });
  return `${stdout}${stderr}`;
}

test('the shim and the daemon are started from the bytecode that the build made', ({ machine }) => {
  const dist = join(machine.package, 'dist');
  expect(refusal(dist, 'shim', [])).toBe('');
  expect(refusal(dist, 'daemon-main', DAEMON_HEAP_OPTIONS)).toBe('');
});

test('the text of the daemon takes a byte a letter: one character beyond Latin-1 would double what V8 keeps of it', ({
  machine,
}) => {
  const text = readFileSync(join(machine.package, 'dist', 'daemon-main.cjs'), 'utf8');
  expect([...text].filter((letter) => letter > '\u00ff')).toEqual([]);
});
