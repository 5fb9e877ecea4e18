/**
 * Says what it is told to say, byte for byte, and tells byte for byte what it heard. Its lists have what a parser would spoil.
 *   --id-first   writes the id before the result; else after it
 * Tools: say { result } answers with that text as its result; fault { error } with that text as its error; heard gives the last line
 * that came before this call, as text.
 */
import { flags, object, readLines, serve, text } from './base.mjs';

const idFirst = flags()['id-first'] === true;
const lines = [];
readLines((line) => lines.push(line));

/** The members beyond `name` are the host's to see as they are. */
const TOOLS = `{"tools":[
  {"name":"say","inputSchema":{"type":"object","maximum":9007199254740993,"__proto__":{"a":1}},"vendor":{"big":-12345678901234567890,"e":1e400}},
  {"vendor":[1.10,null],"name":"heard","description":"\\u00e9 and é \\ud83d\\ude42","inputSchema":{ "type" : "object" }},
  {"name":"fault","inputSchema":{"type":"object"}}
]}`.replaceAll('\n', ' ');

function line(id, member) {
  const own = `"id":${JSON.stringify(id)}`;
  return idFirst ? `{"jsonrpc":"2.0",${own},${member}}\n` : `{${member},"jsonrpc":"2.0",${own}}\n`;
}

serve({
  name: 'verbatim',
  tools: [
    {
      name: 'say',
      inputSchema: object(),
      call: ({ result }, { id, peer }) => peer.sendRaw(line(id, `"result":${result}`)) && undefined,
    },
    {
      name: 'fault',
      inputSchema: object(),
      call: ({ error }, { id, peer }) => peer.sendRaw(line(id, `"error":${error}`)) && undefined,
    },
    { name: 'heard', inputSchema: object(), call: () => text(lines.at(-2) ?? '') },
  ],
  methods: { 'tools/list': (_params, { id, peer }) => void peer.sendRaw(line(id, `"result":${TOOLS}`)) },
});
