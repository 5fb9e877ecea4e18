import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Script } from 'node:vm';

type Program = (require: NodeJS.Require, folder: string) => void;

/**
 * Runs `NAME.cjs` of a folder from the bytecode that the build left beside it as `NAME.bytecode`, which saves reading and compiling it.
 * A Node that did not make this bytecode refuses it, and compiles.
 */
export function runFromBytecode(require: NodeJS.Require, folder: string, name: string): void {
  const filename = join(folder, `${name}.cjs`);
  // Letter by letter as in scripts/*-bytecode.mjs: bytecode belongs to one text.
  const source = `(function(require,__dirname){${readFileSync(filename, 'utf8')}\n})`;
  const program: Program = new Script(source, {
    filename,
    ...bytecode(join(folder, `${name}.bytecode`)),
  }).runInThisContext();
  program(require, folder);
}

// — internal —

function bytecode(file: string): { cachedData?: Buffer } {
  try {
    return { cachedData: readFileSync(file) };
  } catch {
    // Not made here: the source will do.
    return {};
  }
}
