/**
 * `dist/stdio.cjs`, the file that hosts start. It runs the shim, `dist/shim.cjs`, from bytecode: a host waits two or three milliseconds
 * less at each of its starts.
 */
import { runFromBytecode } from '../../src/bytecode.ts';

runFromBytecode(require, __dirname, 'shim');
