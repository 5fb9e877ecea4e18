/** Lives, reads everything, says one thing on stderr, and answers nothing. Leaves when stdin ends. */
import { readLines, record } from './base.mjs';

record('start');
process.stderr.write('still loading the model\n');
readLines((line) => record('heard', { line: line.slice(0, 200) }));
