/**
 * The yardstick: what a daemon costs that does nothing but forward lines. It has mcpd's shape (one daemon, a unix socket, a shim that
 * pipes; daemon and servers each in a session of its own, by which Linux shares out a busy processor) and none of its duties: no judging
 * of messages, no log, no restart, no bounds. Answers are never parsed: its own number is found at their head and the host's id put in
 * its place.
 *   forwarder.mjs SOCKET CONFIG      CONFIG: { "name": ["command", "arg", …] }
 * It also answers POST on a free port of 127.0.0.1, to anybody and with JSON only. Writes that port to stdout when it listens, with all its
 * servers running and their lists read.
 */
import { spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { joined, lineSplitter } from './line-splitter.mjs';

const [, , SOCKET, CONFIG] = process.argv;
const SEPARATOR = '__';
const NEWLINE = Buffer.from('\n');
/** A host that has this much unread stops the server that feeds it. */
const UNREAD_BYTES_MAX = 4 * 1024 * 1024;
const ANSWER_HEAD = /^\{"jsonrpc":"2\.0","id":(\d+)/;
const HEAD_BYTES = 40;

/** What is asked of servers: number → what to do with the answer, or the host and its own id. */
const open = new Map();
let lastNumber = 0;

class Server {
  constructor(command, args) {
    this.process = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'], detached: true });
    this.process.stdin.on('error', () => process.exit(1));
    this.process.stdout.on(
      'data',
      lineSplitter((pieces) => this.hear(pieces)),
    );
  }

  ask(method, params) {
    return new Promise((resolve) => {
      open.set(++lastNumber, { resolve });
      this.send({ jsonrpc: '2.0', id: lastNumber, method, params });
    });
  }

  send(message) {
    this.process.stdin.write(`${JSON.stringify(message)}\n`);
  }

  hear(line) {
    // A chunk may end within the head.
    const pieces = line[0].length < HEAD_BYTES ? [joined(line)] : line;
    const head = ANSWER_HEAD.exec(pieces[0].latin1Slice(0, Math.min(pieces[0].length, HEAD_BYTES)));
    const asked = head === null ? undefined : open.get(Number(head[1]));
    if (asked === undefined) return;
    open.delete(Number(head[1]));
    if (asked.resolve !== undefined) {
      asked.resolve(JSON.parse(joined(pieces).toString()).result);
      return;
    }
    pieces[0] = pieces[0].subarray(head[0].length);
    const answer = [Buffer.from(`{"jsonrpc":"2.0","id":${asked.id}`), ...pieces];
    if (asked.respond !== undefined) return asked.respond(answer);
    write(asked.host, answer);
    if (asked.host.writableLength > UNREAD_BYTES_MAX) this.waitFor(asked.host);
  }

  waitFor(host) {
    const { stdout } = this.process;
    if (stdout.isPaused()) return;
    const goOn = () => {
      for (const event of ['drain', 'close']) host.off(event, goOn);
      stdout.resume();
    };
    for (const event of ['drain', 'close']) host.on(event, goOn);
    stdout.pause();
  }
}

function write(host, pieces) {
  host.cork();
  for (const piece of pieces) host.write(piece);
  host.write(NEWLINE);
  host.uncork();
}

async function startAll(config) {
  const servers = new Map();
  const tools = [];
  await Promise.all(
    Object.entries(config).map(async ([name, [command, ...args]]) => {
      const server = new Server(command, args);
      servers.set(name, server);
      const clientInfo = { name: 'forwarder', version: '1.0.0' };
      await server.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
      server.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
      const list = await server.ask('tools/list', {});
      for (const tool of list.tools) tools.push({ ...tool, name: name + SEPARATOR + tool.name });
    }),
  );
  return { servers, list: Buffer.from(JSON.stringify({ tools })) };
}

function serve(host, { servers, list }) {
  const respond = (pieces) => write(host, pieces);
  host.on(
    'data',
    lineSplitter((pieces) => forward(JSON.parse(joined(pieces).toString()), { host }, respond, { servers, list })),
  );
  host.on('error', () => host.destroy());
}

/** `way` is how the answer of a server goes back, `respond` how an answer of its own does. */
function forward(message, way, respond, { servers, list }) {
  if (message.id === undefined) return false;
  const id = JSON.stringify(message.id);
  const answer = (bytes) => respond([Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":`), bytes, Buffer.from('}')]);
  if (message.method === 'tools/call') {
    const [name, tool] = message.params.name.split(SEPARATOR);
    open.set(++lastNumber, { ...way, id });
    message.id = lastNumber;
    message.params.name = tool;
    servers.get(name).send(message);
  } else if (message.method === 'tools/list') {
    answer(list);
  } else if (message.method === 'initialize') {
    const { protocolVersion } = message.params;
    const serverInfo = { name: 'forwarder', version: '1.0.0' };
    answer(Buffer.from(JSON.stringify({ protocolVersion, capabilities: { tools: {} }, serverInfo })));
  } else {
    answer(Buffer.from('{}'));
  }
  return true;
}

function serveHttp(incoming, outgoing, fleet) {
  const chunks = [];
  incoming.on('data', (chunk) => chunks.push(chunk));
  incoming.on('end', () => {
    const respond = (pieces) => {
      const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
      outgoing.writeHead(200, { 'content-type': 'application/json', 'content-length': length });
      for (const piece of pieces.slice(0, -1)) outgoing.write(piece);
      outgoing.end(pieces.at(-1));
    };
    const message = JSON.parse(joined(chunks).toString());
    if (!forward(message, { respond }, respond, fleet)) outgoing.writeHead(202).end();
  });
}

const fleet = await startAll(JSON.parse(readFileSync(CONFIG, 'utf8')));
// Left by one that was ended.
rmSync(SOCKET, { force: true });
const web = createHttpServer((incoming, outgoing) => serveHttp(incoming, outgoing, fleet));
web.listen(0, '127.0.0.1', () => {
  const { port } = web.address();
  createServer((host) => serve(host, fleet)).listen(SOCKET, () => process.stdout.write(`${port}\n`));
});
process.on('SIGTERM', () => {
  for (const { process: child } of fleet.servers.values()) child.kill();
  process.exit(0);
});
