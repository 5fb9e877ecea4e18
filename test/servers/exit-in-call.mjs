/**
 * Dies in the middle of a call whose side effect is done: the effect is there, the answer never comes. A second attempt would do it twice.
 *   --file PATH      where `commit` appends its line
 *   --signal NAME    dies by this signal instead of exit code 70
 */
import { appendFileSync } from 'node:fs';
import { flags, object, serve, text } from './base.mjs';

const given = flags();

serve({
  name: 'exit-in-call',
  tools: [
    {
      name: 'commit',
      description: 'Writes its line, then dies without an answer',
      inputSchema: object({ line: { type: 'string' } }),
      call: ({ line = 'committed' }) => {
        if (typeof given.file === 'string') appendFileSync(given.file, `${line}\n`);
        process.stderr.write('disk controller on fire\n');
        if (typeof given.signal === 'string') {
          process.kill(process.pid, given.signal);
          return undefined;
        }
        process.exit(70);
      },
    },
    { name: 'fine', description: 'Does nothing special', call: () => text('fine') },
  ],
});
