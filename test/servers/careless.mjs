/**
 * Says its secret (API_TOKEN) wherever it can, in every form: on stderr as it starts, in pieces, in results, in errors, in log messages, on
 * stdout beside the protocol, and as its last words. Tools: tell, refuse, crash.
 */
import { serve, text } from './base.mjs';

const secret = process.env.API_TOKEN ?? 'it was given none';
const forms = [
  secret,
  JSON.stringify({ secret }),
  JSON.stringify(JSON.stringify({ secret })),
  encodeURIComponent(secret),
  new URLSearchParams({ secret }).toString(),
  ...['', 'a', 'ab'].flatMap((before) => [
    Buffer.from(`${before}${secret}:x`).toString('base64'),
    Buffer.from(`${before}${secret}`).toString('base64url'),
  ]),
];
const all = forms.join(' | ');

process.stderr.write(`starting with ${all}\n`);

const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

serve({
  name: 'careless',
  capabilities: { tools: {}, logging: {} },
  tools: [
    {
      name: 'tell',
      description: 'Says it, also in two halves with a rest between them',
      call: async (_, { peer, progress }) => {
        for (const form of [forms[1], forms[3], forms[5]]) {
          process.stderr.write(`halves ${form.slice(0, form.length / 2)}`);
          await later(400);
          process.stderr.write(`${form.slice(form.length / 2)} end\n`);
        }
        process.stdout.write(`this is no message: ${all}\n`);
        peer.notify('notifications/message', { level: 'error', logger: 'careless', data: { all, secret } });
        progress(1, 2);
        return { ...text(all), structuredContent: { secret } };
      },
    },
    {
      name: 'refuse',
      description: 'Fails with an error that has it',
      call: () => {
        throw Object.assign(new Error(`cannot use ${all}`), { code: -32001, data: { secret, all } });
      },
    },
    {
      name: 'crash',
      description: 'Ends with it as its last words',
      call: () => {
        process.stderr.write(`FATAL: ${all}\n`, () => process.exit(1));
      },
    },
  ],
});
