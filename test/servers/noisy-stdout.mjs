/**
 * Writes on stdout what does not belong there: a banner before the first message, and between all messages text, log lines in JSON,
 * blank lines and JSON values that are no messages. Every call is answered properly all the same.
 */
import { object, serve, text } from './base.mjs';

const NOISE = [
  '',
  '   ',
  'GET /health 200 3ms',
  '{"level":30,"time":1,"msg":"ready"}',
  '42',
  'null',
  '[]',
  '{}',
  '"text"',
  '\u001b[32mok\u001b[0m',
];

process.stdout.write('NoisyServer 1.0 listening on stdio\n\n');
let turn = 0;

serve({
  name: 'noisy-stdout',
  write: (line) => {
    for (let n = 0; n < 3; n++) process.stdout.write(`${NOISE[turn++ % NOISE.length]}\n`);
    process.stdout.write(line);
  },
  tools: [
    {
      name: 'echo',
      inputSchema: object({ text: { type: 'string' } }),
      call: (args) => text(String(args.text)),
    },
  ],
});
