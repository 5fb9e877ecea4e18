import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { callError } from '../src/call-error.ts';
import { McpdError } from '../src/errors.ts';
import { SERVER_LINE_BYTES_MAX } from '../src/limits.ts';
import { METHOD_NOT_FOUND } from '../src/protocol/jsonrpc.ts';
import { NEWEST_LEGACY } from '../src/protocol/revisions.ts';
import { VERSION } from '../src/version.ts';
import { Interrupted } from './interrupt.ts';
import { memberText } from './raw-json.ts';

export interface ToolCall {
  /** The shim, which is spoken to as any host would. */
  shim: string;
  env: NodeJS.ProcessEnv;
  tool: string;
  server: string;
  /** JSON text, so that big numbers stay what they are. */
  argumentsJson: string;
  signal: AbortSignal;
  onProgress: (text: string) => void;
  onStderr: (line: string) => void;
}

/**
 * Calls one tool through the very door that hosts use, and resolves to the raw JSON text of the result.
 * @throws McpdError as the server or mcpd answered, DAEMON_LOST when the shim ends without an answer; Interrupted
 */
export async function callTool(call: ToolCall): Promise<string> {
  const child = spawn(process.execPath, [call.shim, '--host', HOST_NAME], {
    env: call.env,
    stdio: ['pipe', 'pipe', 'pipe'],
    signal: call.signal,
  });
  // Writing to a shim that has ended is answered by its end, which is reported below.
  child.stdin.on('error', () => undefined);
  child.on('error', () => undefined);
  const stderr = eachLine(child.stderr, call.onStderr);
  try {
    const answer = await conversation(child, call);
    if (answer !== null) return answer;
    await stderr;
    throw new McpdError('DAEMON_LOST', {
      what: `the connection ended before ${call.tool} answered`,
      why: 'whether the tool ran is unknown',
      fix: 'mcpd status',
    });
  } catch (thrown) {
    if (call.signal.aborted) throw new Interrupted();
    throw thrown;
  } finally {
    child.stdin.end();
  }
}

// — internal —

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

interface Message {
  id?: unknown;
  method?: unknown;
  params?: { progress?: unknown; total?: unknown; message?: unknown };
  result?: unknown;
  error?: { code?: unknown; message?: unknown; data?: unknown };
}

const HOST_NAME = 'mcpd-cli';
const HANDSHAKE = 1;
const CALL = 2;

/** Null when the shim ended without the answer. */
async function conversation(child: Child, call: ToolCall): Promise<string | null> {
  let answer: string | null = null;
  const send = (text: string) => void child.stdin.write(`${text}\n`);
  const hello = { protocolVersion: NEWEST_LEGACY, capabilities: {}, clientInfo: { name: HOST_NAME, version: VERSION } };
  send(JSON.stringify({ jsonrpc: '2.0', id: HANDSHAKE, method: 'initialize', params: hello }));
  await eachLine(child.stdout, (line) => {
    if (answer !== null || line.trim() === '') return;
    const message = JSON.parse(line) as Message;
    if (message.id === HANDSHAKE && message.method === undefined) {
      if (message.error !== undefined) throw callError(message.error, { target: call.tool, server: call.server });
      send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
      const params = `{"name":${JSON.stringify(call.tool)},"arguments":${call.argumentsJson},"_meta":{"progressToken":${CALL}}}`;
      send(`{"jsonrpc":"2.0","id":${CALL},"method":"tools/call","params":${params}}`);
    } else if (message.id === CALL && message.method === undefined) {
      if (message.error !== undefined) throw callError(message.error, { target: call.tool, server: call.server });
      answer = memberText(line, 'result');
      child.stdin.end();
    } else if (message.method === 'notifications/progress') call.onProgress(progressText(message));
    else if (message.method !== undefined && message.id !== undefined) {
      send(
        JSON.stringify({
          jsonrpc: '2.0',
          id: message.id,
          error: { code: METHOD_NOT_FOUND, message: 'the command line answers nothing' },
        }),
      );
    }
  });
  return answer;
}

/** Calls `take` with each line; resolves at the end of the stream. A line that is too long is an error. */
async function eachLine(stream: Readable, take: (line: string) => void): Promise<void> {
  let parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let newline = chunk.indexOf(10, from); newline >= 0; newline = chunk.indexOf(10, from)) {
      take(Buffer.concat([...parts, chunk.subarray(from, newline)]).toString('utf8'));
      parts = [];
      bytes = 0;
      from = newline + 1;
    }
    if (from < chunk.length) parts.push(chunk.subarray(from));
    bytes += chunk.length - from;
    if (bytes > SERVER_LINE_BYTES_MAX)
      throw new McpdError('LINE_TOO_LONG', { what: `the answer is longer than ${SERVER_LINE_BYTES_MAX} bytes` });
  }
  if (bytes > 0) take(Buffer.concat(parts).toString('utf8'));
}

function progressText({ params }: Message): string {
  const { progress, total, message } = params ?? {};
  const share =
    typeof progress === 'number' && typeof total === 'number' && total > 0
      ? `${Math.round((progress / total) * 100)} %`
      : String(progress ?? '');
  return typeof message === 'string' ? `${share} ${message}` : share;
}
