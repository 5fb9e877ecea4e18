/**
 * A good handshake, then gone. Whoever takes the handshake for success starts it again for ever.
 *   --after initialized|tools/list   the last message it still deals with (default: initialized)
 *   --code N                         its exit code (default 0: a clean exit is a failure too when nobody asked for it)
 */
import { flags, serve, text } from './base.mjs';

const given = flags({ after: 'initialized', code: '0' });
const leave = () => {
  process.stderr.write('leaving right after the handshake\n');
  process.exit(Number(given.code));
};

serve({
  name: 'crash-after-handshake',
  tools: [{ name: 'never', call: () => text('never reached') }],
  hears: (message, peer) => {
    if (given.after === 'initialized' && message.method === 'notifications/initialized') leave();
    if (given.after === 'tools/list' && message.method === 'tools/list') {
      peer.send({ id: message.id, result: { tools: [{ name: 'never', inputSchema: { type: 'object' } }] } });
      leave();
    }
    return false;
  },
});
