/**
 * Surrounds each answer with answers that nobody waits for: to ids never asked, to null, to the request before, to an id that only
 * looks like the right one; and then a second, different answer to the same id. Only the first true one may reach the host.
 */
import { object, serve, text } from './base.mjs';

let before;

serve({
  name: 'orphan-replies',
  write: (line) => {
    const { id } = JSON.parse(line);
    const say = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    if (id !== undefined) {
      say({ id: 987_654, result: text('to an id never asked') });
      say({ id: 'nobody', error: { code: -32000, message: 'nobody asked' } });
      say({ id: null, error: { code: -32700, message: 'Parse error' } });
      say({ id: `${id}.5`, result: text('to an id that looks like it') });
      if (before !== undefined) say({ id: before, result: text('to the request before') });
      before = id;
    }
    process.stdout.write(line);
    if (id !== undefined) say({ id, result: text('a second answer') });
  },
  tools: [{ name: 'echo', inputSchema: object({ text: { type: 'string' } }), call: (args) => text(String(args.text)) }],
});
