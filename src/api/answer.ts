import type { IncomingMessage, ServerResponse } from 'node:http';
import { McpdError } from '../errors.ts';
import { LIVE_QUEUE_BYTES_MAX } from '../operation-limits.ts';
import { showable } from '../text.ts';

/** Where a request came in: `api.sock`, or 127.0.0.1 for the page. */
export type Listener = 'local' | 'web';

/** JSON for that listener. A page shows what it gets, so every text in it is made safe to show; programs get it as it is. */
export function encoded(value: unknown, listener: Listener): string {
  if (listener === 'local') return JSON.stringify(value);
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? showable(part, 'lines') : part));
}

export interface LineSink {
  /** The head, before there is a line: whoever follows what rests knows that he is heard. */
  begin(): void;
  /** One value as one line of JSON, for what happens now. A reader that is LIVE_QUEUE_BYTES_MAX behind is cut off. */
  write(value: unknown): void;
  /** The same for what is there already: waits until the reader has taken it, and never cuts him off. */
  send(value: unknown): Promise<void>;
  /** Bytes that the reader has not taken. */
  waitingBytes(): number;
  end(): void;
  cutOff(): void;
}

/** Lines of JSON as a response that stays open. The head goes out with the first line, so an error before it has its own status. */
export function lineSink(outgoing: ServerResponse, listener: Listener): LineSink {
  // The reader went away: `close` follows, and with it the end of the stream.
  outgoing.on('error', () => undefined);
  const head = () => {
    if (!outgoing.headersSent) outgoing.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
  };
  const put = (value: unknown): boolean => {
    head();
    return outgoing.write(`${encoded(value, listener)}\n`);
  };
  const isOver = () => outgoing.destroyed || outgoing.writableEnded;
  return {
    begin: () => {
      if (isOver()) return;
      head();
      outgoing.flushHeaders();
    },
    write: (value) => {
      if (isOver()) return;
      if (outgoing.writableLength > LIVE_QUEUE_BYTES_MAX) outgoing.destroy();
      else put(value);
    },
    send: async (value) => {
      if (!isOver() && !put(value)) await drained(outgoing);
    },
    waitingBytes: () => outgoing.writableLength,
    end: () => outgoing.end(),
    cutOff: () => outgoing.destroy(),
  };
}

export function answerJson(outgoing: ServerResponse, status: number, value: unknown, listener: Listener): void {
  const body = Buffer.from(encoded(value, listener));
  outgoing.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': body.length });
  outgoing.end(body);
}

/** Ends the connection as well, so that nothing more of a refused request is read. */
export function answerError(outgoing: ServerResponse, error: McpdError, listener: Listener): void {
  if (outgoing.headersSent) {
    outgoing.destroy();
    return;
  }
  outgoing.setHeader('connection', 'close');
  answerJson(outgoing, error.httpStatus, { error: error.report() }, listener);
}

/**
 * The whole body of a request.
 * @throws {McpdError} REQUEST_INVALID above `bytesMax`, or when the client left before its end
 */
export function bodyOf(incoming: IncomingMessage, bytesMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= bytesMax) {
        chunks.push(chunk);
        return;
      }
      incoming.off('data', take);
      incoming.pause();
      reject(new McpdError('REQUEST_INVALID', { what: `the request is larger than ${bytesMax} bytes` }));
    };
    incoming.on('data', take);
    incoming.once('end', () => resolve(Buffer.concat(chunks)));
    const cut = () => reject(new McpdError('REQUEST_INVALID', { what: 'the request ended before its body did' }));
    incoming.once('error', cut);
    incoming.once('close', cut);
  });
}

// — internal —

/** Resolves when there is room again, or nobody who reads. */
function drained(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      outgoing.off('drain', done);
      outgoing.off('close', done);
      resolve();
    };
    outgoing.on('drain', done);
    outgoing.on('close', done);
  });
}
