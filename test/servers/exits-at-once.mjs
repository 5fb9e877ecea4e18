/**
 * Gone before the first message can be read.
 *   --code N   (default 1)
 */
import { flags, record } from './base.mjs';

record('start');
process.stderr.write('configuration missing: set EXAMPLE_KEY\n');
process.exitCode = Number(flags({ code: '1' }).code);
