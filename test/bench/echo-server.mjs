/**
 * The MCP server of every measurement: no dependency, as little work of its own as can be.
 *   --name NAME       its serverInfo.name
 *   --wait-in FILE    sleeps so many milliseconds before it reads anything, as the file says now; no file, no sleep. So one registered
 *                     server can be quick while it is installed and slow when its start is measured.
 *   --tools N         so many tools in all; 10 unless it is told
 * Tools: `echo {text}`, `blob {bytes}` (a line of about so many bytes), and others that are only listed.
 */
import { readFileSync } from 'node:fs';
import { joined, lineSplitter } from './line-splitter.mjs';

const option = (name) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const NAME = option('name') ?? 'echo';

const text = (description, more = {}) => ({ type: 'string', description, ...more });
const listed = [
  {
    name: 'echo',
    description: 'Answers with the text that it was given.',
    inputSchema: { type: 'object', properties: { text: text('What to answer') }, required: ['text'] },
  },
  {
    name: 'blob',
    description: 'Answers with a text of about the given size, as source code would look in JSON.',
    inputSchema: { type: 'object', properties: { bytes: { type: 'integer', minimum: 0 } }, required: ['bytes'] },
  },
  ...Array.from({ length: Number(option('tools') ?? 10) - 2 }, (_, n) => ({
    name: `find_records_${n}`,
    title: `Find records, collection ${n}`,
    description: `Looks through collection ${n} of ${NAME} for records that match all conditions, and answers with their keys, titles and times of change, newest first. Take a key from here before you read or change a record.`,
    inputSchema: {
      type: 'object',
      properties: {
        words: text('Words that must occur; "several words" in quotes must occur together', { maxLength: 400 }),
        state: text('Only records in this state', { enum: ['draft', 'open', 'closed', 'any'], default: 'any' }),
        changed_since: text('Only records changed at this time or later', { format: 'date-time' }),
        owners: { type: 'array', items: text('An address'), description: 'Only records of one of these people' },
        order: text('What comes first', { enum: ['changed', 'created', 'title', 'relevance'] }),
        limit: { type: 'integer', minimum: 1, maximum: 200, default: 50, description: 'Records in one answer' },
      },
      required: ['words'],
    },
    annotations: { readOnlyHint: true, idempotentHint: true },
  })),
];
const LISTS = new Map([
  ['tools/list', JSON.stringify({ tools: listed })],
  ['resources/list', '{"resources":[]}'],
  ['resources/templates/list', '{"resourceTemplates":[]}'],
  ['prompts/list', '{"prompts":[]}'],
  ['ping', '{}'],
]);

const blobs = new Map();
/** The result as bytes, made once for each size: quotes, tabs and line feeds in it as in a file of source code. */
function blob(bytes) {
  let made = blobs.get(bytes);
  if (made === undefined) {
    const unit = JSON.stringify(
      '  if (items.length > 0) {\n\treturn items.map((item) => item["title"]).join(", ");\n  }\n',
    ).slice(1, -1);
    const frame = ['{"content":[{"type":"text","text":"', '"}]}'];
    const room = Math.max(0, bytes - frame.join('').length);
    const body = unit.repeat(Math.floor(room / unit.length));
    made = Buffer.from(frame[0] + body + '.'.repeat(room - body.length) + frame[1]);
    blobs.set(bytes, made);
  }
  return made;
}

const out = process.stdout;
const answer = (id, json) => out.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${json}}\n`);
const refuse = (id, code, message) =>
  out.write(`${JSON.stringify({ jsonrpc: '2.0', id, error: { code, message } })}\n`);

function answerBytes(id, bytes) {
  out.cork();
  out.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":`);
  out.write(bytes);
  out.write('}\n');
  out.uncork();
}

function call(id, { name, arguments: given = {} }) {
  if (name === 'echo') answer(id, JSON.stringify({ content: [{ type: 'text', text: given.text }] }));
  else if (name === 'blob') answerBytes(id, blob(given.bytes));
  else if (name.startsWith('find_records_')) answer(id, '{"content":[{"type":"text","text":"[]"}]}');
  else refuse(id, -32602, `no tool ${name}`);
}

function take({ id, method, params }) {
  if (id === undefined || method === undefined) return;
  const list = LISTS.get(method);
  if (method === 'tools/call') call(id, params);
  else if (list !== undefined) answer(id, list);
  else if (method === 'initialize') {
    const { protocolVersion } = params;
    const serverInfo = { name: NAME, version: '1.0.0' };
    answer(id, JSON.stringify({ protocolVersion, capabilities: { tools: { listChanged: true } }, serverInfo }));
  } else refuse(id, -32601, `no method ${method}`);
}

function waitMs() {
  const file = option('wait-in');
  if (file === undefined) return 0;
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0; // No file: as the docstring says.
  }
}

function serve() {
  process.stdin.on(
    'data',
    lineSplitter((pieces) => take(JSON.parse(joined(pieces).toString()))),
  );
  process.stdin.on('end', () => process.exit(0));
}

// Whoever read the answers has gone.
out.on('error', () => process.exit(0));
const wait = waitMs();
if (wait > 0) setTimeout(serve, wait);
else serve();
