/**
 * A daemon in miniature for tests of the shim and the host socket: the real socket, one holder at a time, and a few tools with which a
 * test decides when it dies. It notes what it saw in `seen.jsonl`. A file `broken` in the home makes it fail as a damaged registry would.
 */
import { appendFileSync, closeSync, existsSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { SessionId } from '../../src/core/model.ts';
import type { HostEvent } from '../../src/hosts/connection.ts';
import { createHostSocket } from '../../src/hosts/socket.ts';
import { join as joined } from '../../src/protocol/bytes.ts';
import type { RawId } from '../../src/protocol/frame.ts';
import { errorText, notificationText, resultText } from '../../src/protocol/jsonrpc.ts';

interface Call {
  name: string;
  arguments?: { text?: string; bytes?: number; count?: number; ms?: number; reason?: 'stopping' | 'upgrade' };
}

const home = process.env['MCPD_HOME'] ?? '';
process.chdir(home);
const note = (what: string, members: Record<string, unknown> = {}) =>
  appendFileSync('seen.jsonl', `${JSON.stringify({ pid: process.pid, what, ...members })}\n`);

if (existsSync('broken')) {
  process.stderr.write(readFileSync('broken'));
  process.exit(3);
}
if (!takeLock()) {
  note('no lock');
  process.exit(0);
}
note('started', { args: process.argv.slice(2), env: Object.keys(process.env) });

let sessions = 0;
let asked = 0;
/** Calls that wait for the host's answer, by the raw id of the question. */
const waiting = new Map<RawId, (answer: unknown) => void>();
const socket = createHostSocket({
  socketName: 'mcpd.sock',
  version: '0.0.1',
  generation: `g${process.pid}`,
  report,
  now: () => performance.now(),
  sessionId: () => `s${++sessions}`,
});
const say = (session: SessionId, text: string, id: RawId | null, kind: 'answer' | 'notice' = 'answer') =>
  socket.send(session, [Buffer.from(text)], kind, id);
const answer = (session: SessionId, id: RawId, result: unknown) =>
  say(session, resultText(id, JSON.stringify(result)), id);
const text = (content: string) => ({ content: [{ type: 'text', text: content }] });

async function leave(reason: 'stopping' | 'upgrade', afterMs: number, last: () => void): Promise<void> {
  socket.drain(reason);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  last();
  await socket.stop();
  note('stopped');
  process.exit(0);
}

function report(event: HostEvent): void {
  if (event.type === 'host-deaf') return;
  if (event.type === 'host-opened')
    note('opened', { session: event.session, host: event.host, cwd: event.door.cwd, resume: event.resume });
  else if (event.type === 'host-closed') note('closed', { session: event.session });
  else if (event.type === 'host-noise') noise(event.session, event.reason, event.id);
  else
    message(event.session, JSON.parse(Buffer.from(joined(event.frame.bytes)).toString('utf8')), event.frame.envelope);
}

function noise(session: SessionId, reason: string, id: RawId | null): void {
  note('noise', { session, reason, id });
  say(session, errorText(id, reason === 'not-json' ? -32700 : -32600, reason), id);
}

function message(
  session: SessionId,
  parsed: { params?: unknown },
  envelope: { kind: string; id?: RawId | null; method?: string },
): void {
  const { kind, method } = envelope;
  const id = envelope.id ?? null;
  const length = JSON.stringify(parsed).length;
  note('message', { session, kind, method, id, ...(length < 1000 ? { parsed } : { length }) });
  if (id === null) return;
  if (kind !== 'request') waiting.get(id)?.(parsed);
  else request(session, id, method, parsed);
}

function request(session: SessionId, id: RawId, method: string | undefined, parsed: { params?: unknown }): void {
  if (method === 'tools/call') call(session, id, parsed.params as Call);
  else if (method === 'initialize')
    answer(session, id, { protocolVersion: revisionIn(parsed.params), capabilities: {}, serverInfo: {} });
  else if (method === 'tools/list') answer(session, id, { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] });
  else answer(session, id, {});
}

/** The one that was asked for, as if all were served. */
function revisionIn(params: unknown): string {
  return (params as { protocolVersion?: string } | undefined)?.protocolVersion ?? '2025-11-25';
}

function call(session: SessionId, id: RawId, { name, arguments: given = {} }: Call): void {
  const big = () => answer(session, id, text('x'.repeat(given.bytes ?? 0)));
  const tools: Record<string, () => void> = {
    echo: () => answer(session, id, text(given.text ?? '')),
    // As a TypeScript server writes it: the id comes last.
    'echo-last': () =>
      say(session, `{"result":${JSON.stringify(text(given.text ?? ''))},"jsonrpc":"2.0","id":${id}}`, id),
    big,
    hang: () => {},
    die: () => process.kill(process.pid, 'SIGKILL'),
    'die-in-line': () => {
      big();
      socket.flush();
      process.kill(process.pid, 'SIGKILL');
    },
    slow: () => void setTimeout(() => answer(session, id, text('slow')), given.ms ?? 0),
    notices: () => {
      const params = JSON.stringify({ level: 'info', data: 'y'.repeat(given.bytes ?? 0) });
      const line = notificationText('notifications/message', params);
      for (let i = 0; i < (given.count ?? 0); i++) say(session, line, null, 'notice');
      answer(session, id, text('sent'));
    },
    ask: () => {
      const question = `"mcpd-g${process.pid}-${++asked}"`;
      waiting.set(question, (told) => answer(session, id, text(JSON.stringify(told))));
      const params = '{"mode":"form","message":"Which?","requestedSchema":{"type":"object","properties":{}}}';
      const line = `{"jsonrpc":"2.0","id":${question},"method":"elicitation/create","params":${params}}`;
      socket.send(session, [Buffer.from(line)], 'question', question);
    },
    'take-back': () => {
      const notice = notificationText('notifications/cancelled', `{"requestId":"mcpd-g${process.pid}-${asked}"}`);
      say(session, notice, null, 'notice');
      answer(session, id, text('taken back'));
    },
    twice: () => {
      answer(session, id, text('first'));
      answer(session, id, text('second'));
    },
    leave: () => void leave(given.reason ?? 'stopping', given.ms ?? 0, () => answer(session, id, text('left'))),
  };
  const tool = tools[name];
  if (tool === undefined) say(session, errorText(id, -32602, `no tool ${name}`), id);
  else tool();
}

/** Good enough for a test: a file with the holder's pid. */
function takeLock(): boolean {
  for (;;) {
    try {
      const file = openSync('stand-in.lock', 'wx');
      writeSync(file, String(process.pid));
      closeSync(file);
      return true;
    } catch {
      // Somebody holds it, or held it.
    }
    const holder = Number(readFileSync('stand-in.lock', 'utf8'));
    if (holder === 0) continue;
    try {
      process.kill(holder, 0);
      const stat = readFileSync(`/proc/${holder}/stat`, 'latin1');
      if (!stat.includes(') Z ')) return false;
    } catch {
      // Dead, or no /proc: take it over. Two that do so at once make the same file twice, and one of them fails to.
    }
    rmSync(join(home, 'stand-in.lock'), { force: true });
  }
}

process.on('SIGTERM', () => void leave('stopping', 0, () => {}));
void socket.listen().then(() => note('listening'));
