/** An old server for which anything before `initialize` is fatal. After the handshake it is an ordinary server. */
import { record, serve, text } from './base.mjs';

let ready = false;

serve({
  name: 'dies-on-probe',
  tools: [{ name: 'hello', call: () => text('hello') }],
  hears: (message) => {
    if (message.method === 'initialize') ready = true;
    if (ready) return false;
    record('died', { method: message.method });
    process.stderr.write(`expected initialize, got ${message.method}\n`);
    process.exit(1);
  },
});
