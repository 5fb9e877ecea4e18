/**
 * Results of any size.
 *   --id-first   writes the id before the result, as Python servers do; else after it
 * Tool blob { bytes, kind }: a result line of at least so many bytes. kind `text` is one long string, `dense` many small values,
 * `numbers` integers beyond 2^53. Tool small: a short answer, to see that all is well afterwards.
 */
import { flags, object, serve, text } from './base.mjs';

const idFirst = flags()['id-first'] === true;

const FILL = {
  text: (bytes) => JSON.stringify({ content: [{ type: 'text', text: 'mcpd '.repeat(Math.ceil(bytes / 5)) }] }),
  dense: (bytes) =>
    `{"content":[],"structuredContent":{"rows":[${'{"a":1,"b":[true,null]},'.repeat(Math.ceil(bytes / 24))}{}]}}`,
  numbers: (bytes) =>
    `{"content":[],"structuredContent":{"rows":[${'9007199254740993,'.repeat(Math.ceil(bytes / 17))}0]}}`,
};

function line(id, result) {
  return idFirst
    ? `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}\n`
    : `{"result":${result},"jsonrpc":"2.0","id":${JSON.stringify(id)}}\n`;
}

serve({
  name: 'big',
  tools: [
    {
      name: 'blob',
      description: 'A result of so many bytes',
      inputSchema: object({ bytes: { type: 'integer' }, kind: { enum: Object.keys(FILL) } }, ['bytes']),
      call: ({ bytes, kind = 'text' }, { id, peer }) => {
        peer.sendRaw(line(id, FILL[kind](bytes)));
        return undefined;
      },
    },
    { name: 'small', description: 'A short answer', call: () => text('small') },
  ],
});
