/**
 * Puts a byte order mark before its lines, and ends them as Windows does.
 *   --mode every   before every line (default)
 *   --mode first   before the first one only
 * The tool `inside` answers with a text that holds such a mark, which belongs to the text.
 */
import { flags, object, serve, text } from './base.mjs';

const BOM = '\uFEFF';
const { mode } = flags({ mode: 'every' });
let lines = 0;

serve({
  name: 'bom',
  write: (line) => process.stdout.write(`${mode === 'every' || lines++ === 0 ? BOM : ''}${line.slice(0, -1)}\r\n`),
  tools: [
    { name: 'echo', inputSchema: object({ text: { type: 'string' } }), call: (args) => text(String(args.text)) },
    { name: 'inside', call: () => text(`before${BOM}after`) },
  ],
});
