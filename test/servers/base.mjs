/**
 * Plumbing of the fake servers: newline-delimited JSON-RPC on stdin and stdout, no dependency, no SDK. A fake server says in its own
 * file what is odd about it; everything ordinary is here.
 */
import { appendFileSync } from 'node:fs';

/** Revisions with the `initialize` handshake, newest first. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;

export class RpcError extends Error {
  constructor(code, message, data) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** `--name A --loud` → `{ name: 'A', loud: true }`, over `defaults`. A number stays text. */
export function flags(defaults = {}) {
  const given = { ...defaults };
  const args = process.argv.slice(2);
  for (let i = 0; i < args.length; i++) {
    if (!args[i].startsWith('--')) continue;
    const next = args[i + 1];
    const hasValue = next !== undefined && !next.startsWith('--');
    given[args[i].slice(2)] = hasValue ? next : true;
    if (hasValue) i++;
  }
  return given;
}

/**
 * Appends `{ pid, what, … }` as one line to the file in RECORD_FILE. So a test sees what really reached this process, also after it
 * died: one append is one write, and several processes may share a file.
 */
export function record(what, details = {}) {
  const file = process.env.RECORD_FILE;
  if (file) appendFileSync(file, `${JSON.stringify({ pid: process.pid, what, ...details })}\n`);
}

export const text = (value) => ({ content: [{ type: 'text', text: value }] });

/** A schema of an object, from its properties. */
export const object = (properties = {}, required = []) => ({ type: 'object', properties, required });

/**
 * Serves until stdin ends. All parts of `server` may be left out:
 *   name, version, instructions, capabilities (else derived from what is there)
 *   tools              [{ name, …as listed, call(args, context) → result }]
 *   resources          [{ uri, name, …, read(context) → text or contents }]
 *   templates          [{ uriTemplate, name, …, read(uri, match, context), pattern: RegExp }]
 *   prompts            [{ name, …, get(args, context) → result }]
 *   methods            { [method]: (params, context) → result }, before everything else
 *   hears(message, peer) → true when the message was dealt with
 *   write(line)        how a line (text with its line feed) reaches stdout
 * Returns the peer: `send(message)`, `sendRaw(bytes)`, `notify(method, params)`, `request(method, params)`.
 */
export function serve(server = {}) {
  const open = new Map();
  const asked = new Map();
  let nextAsk = 1;
  const write = server.write ?? ((line) => process.stdout.write(line));
  const peer = {
    send: (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`),
    sendRaw: (bytes) => process.stdout.write(bytes),
    notify: (method, params) => peer.send(params === undefined ? { method } : { method, params }),
    request: (method, params) =>
      new Promise((resolve, reject) => {
        const id = nextAsk++;
        asked.set(id, { resolve, reject });
        peer.send({ id, method, params });
      }),
  };
  const methods = { ...ordinary(server), ...server.methods };

  async function answer(message) {
    const cancel = new AbortController();
    open.set(message.id, cancel);
    const progressToken = message.params?._meta?.progressToken;
    const context = {
      id: message.id,
      params: message.params,
      signal: cancel.signal,
      peer,
      progress: (progress, total) =>
        progressToken !== undefined && peer.notify('notifications/progress', { progressToken, progress, total }),
    };
    try {
      const method = methods[message.method];
      if (method === undefined) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${message.method}`);
      const result = await method(message.params ?? {}, context);
      // `undefined` means that the server has answered by itself, or never will.
      if (result !== undefined && !cancel.signal.aborted) peer.send({ result, id: message.id });
    } catch (error) {
      if (!cancel.signal.aborted)
        peer.send({ error: { code: error.code ?? -32603, message: error.message, data: error.data }, id: message.id });
    } finally {
      open.delete(message.id);
    }
  }

  function take(message) {
    if (server.hears?.(message, peer)) return;
    if (message.method !== undefined && message.id !== undefined) {
      void answer(message);
    } else if (message.method === 'notifications/cancelled') {
      record('cancelled', { id: message.params?.requestId });
      open.get(message.params?.requestId)?.abort();
    } else if (message.id !== undefined && asked.has(message.id)) {
      const { resolve, reject } = asked.get(message.id);
      asked.delete(message.id);
      if (message.error) reject(new RpcError(message.error.code, message.error.message, message.error.data));
      else resolve(message.result);
    }
  }

  record('start', { argv: process.argv.slice(2) });
  readLines((line) => {
    const message = parse(line);
    if (message !== undefined) take(message);
  });
  return peer;
}

/** Calls `onLine` for each line of stdin, and ends the process at its end. */
export function readLines(onLine) {
  let pieces = [];
  process.stdin.on('data', (chunk) => {
    let rest = chunk;
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = Buffer.concat([...pieces, rest.subarray(0, end)]).toString();
      pieces = [];
      rest = rest.subarray(end + 1);
      onLine(line);
    }
    if (rest.length > 0) pieces.push(rest);
  });
  process.stdin.on('end', () => process.exit(0));
  // Whoever read our stdout has gone: nothing is left to do.
  process.stdout.on('error', () => process.exit(0));
}

/** What an ordinary server answers: the handshake, ping, and the lists and uses of whatever it has. */
function ordinary(server) {
  const { tools, resources, templates, prompts } = server;
  const has = {
    tools: tools !== undefined,
    resources: resources !== undefined || templates !== undefined,
    prompts: prompts !== undefined,
  };
  return {
    initialize: (params) => ({
      protocolVersion: REVISIONS.includes(params.protocolVersion) ? params.protocolVersion : REVISIONS[0],
      capabilities: server.capabilities ?? declared(has),
      serverInfo: { name: server.name ?? 'fake', version: server.version ?? '1.0.0' },
      ...(server.instructions === undefined ? {} : { instructions: server.instructions }),
    }),
    ping: () => ({}),
    ...(has.tools && {
      'tools/list': () => ({ tools: tools.map(({ call: _, ...listed }) => ({ inputSchema: object(), ...listed })) }),
      'tools/call': ({ name, arguments: args = {} }, context) => {
        record('call', { name, args });
        return find(tools, (tool) => tool.name === name, `Unknown tool: ${name}`).call(args, context);
      },
    }),
    ...(has.resources && {
      'resources/list': () => ({ resources: (resources ?? []).map(({ read: _, ...listed }) => listed) }),
      'resources/templates/list': () => ({
        resourceTemplates: (templates ?? []).map(({ read: _, pattern: __, ...listed }) => listed),
      }),
      'resources/read': ({ uri }, context) => readResource(server, uri, context),
    }),
    ...(has.prompts && {
      'prompts/list': () => ({ prompts: prompts.map(({ get: _, ...listed }) => listed) }),
      'prompts/get': ({ name, arguments: args = {} }, context) =>
        find(prompts, (prompt) => prompt.name === name, `Unknown prompt: ${name}`).get(args, context),
    }),
  };
}

function declared(has) {
  return Object.fromEntries(Object.entries(has).flatMap(([name, there]) => (there ? [[name, {}]] : [])));
}

async function readResource(server, uri, context) {
  const resource = server.resources?.find((candidate) => candidate.uri === uri);
  const template = resource ? undefined : server.templates?.find((candidate) => candidate.pattern.test(uri));
  if (resource === undefined && template === undefined) throw new RpcError(-32002, `Unknown resource: ${uri}`, { uri });
  const read = resource ? await resource.read(context) : await template.read(uri, template.pattern.exec(uri), context);
  return typeof read === 'string'
    ? { contents: [{ uri, mimeType: 'text/plain', text: read }] }
    : { contents: [{ uri, ...read }] };
}

function find(list, test, otherwise) {
  const found = list.find(test);
  if (found === undefined) throw new RpcError(INVALID_PARAMS, otherwise);
  return found;
}

function parse(line) {
  try {
    return JSON.parse(line);
  } catch {
    process.stderr.write(`not JSON: ${line.slice(0, 200)}\n`);
    return undefined;
  }
}
