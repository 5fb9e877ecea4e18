/**
 * A server of 2025-03-26 that writes arrays wherever that revision lets it: what it has to say during one turn leaves as one batch.
 * The tool `twice` asks two pings in one batch, and says how each was answered.
 */
import { object, serve, text } from './base.mjs';

let gathered = [];

const peer = serve({
  name: 'batches',
  write: (line) => {
    gathered.push(line.trim());
    if (gathered.length > 1) return;
    // Answers to several requests of one chunk are a batch then.
    setTimeout(() => {
      process.stdout.write(`[${gathered.join(' , ')}]\n`);
      gathered = [];
    }, 5);
  },
  methods: {
    initialize: () => ({
      protocolVersion: '2025-03-26',
      capabilities: { tools: {} },
      serverInfo: { name: 'batches', version: '1.0.0' },
    }),
  },
  tools: [
    {
      name: 'echo',
      inputSchema: object({ text: { type: 'string' } }),
      call: (args) => text(String(args.text)),
    },
    {
      name: 'twice',
      inputSchema: object(),
      call: async () => {
        const answers = await Promise.all([peer.request('ping'), peer.request('ping')]);
        return text(JSON.stringify(answers));
      },
    },
  ],
});
