/**
 * `dist/stdio.cjs`, the file that hosts start. It runs the shim (`dist/shim.cjs`) from the bytecode that the build left beside it: a
 * host waits two or three milliseconds less at each of its starts. A Node that did not make this bytecode refuses it, and compiles.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

type Program = (require: NodeJS.Require, folder: string) => void;

function bytecode(): { cachedData?: Buffer } {
  try {
    return { cachedData: readFileSync(join(__dirname, 'shim.bytecode')) };
  } catch {
    // Not made here: the source will do.
    return {};
  }
}

const filename = join(__dirname, 'shim.cjs');
// Letter by letter as in scripts/shim-bytecode.mjs: bytecode belongs to one text.
const source = `(function(require,__dirname){${readFileSync(filename, 'utf8')}\n})`;
const program: Program = new Script(source, { filename, ...bytecode() }).runInThisContext();
program(require, __dirname);
