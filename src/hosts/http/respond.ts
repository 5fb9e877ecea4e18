import type { ServerResponse } from 'node:http';
import { HTTP_UNREAD_BYTES_MAX, HTTP_UNREAD_MS } from '../../http-limits.ts';
import { byteLength } from '../../protocol/bytes.ts';
import type { Bytes, RawId } from '../../protocol/frame.ts';
import { errorText, INTERNAL_ERROR } from '../../protocol/jsonrpc.ts';
import type { Problem } from './problem.ts';

/** Names and values in turn. */
export type Headers = readonly string[];

/** Of every answer: nobody keeps it, and nobody takes it for something else. */
const ALWAYS: Headers = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff'];

/** Answers that were given to the system and not taken by their clients yet. */
let unreadBytes = 0;

/** One JSON message as the whole answer. Clients that do not read get a small error in its place, once too much waits for them. */
export function respondJson(
  outgoing: ServerResponse,
  status: number,
  body: Bytes,
  headers: Headers,
  id: RawId | null,
): void {
  const length = byteLength(body);
  if (unreadBytes > 0 && unreadBytes + length > HTTP_UNREAD_BYTES_MAX) return refuseUnread(outgoing, headers, id);
  outgoing.writeHead(status, [
    'content-type',
    'application/json',
    'content-length',
    String(length),
    ...ALWAYS,
    ...headers,
  ]);
  const [only] = body;
  if (only !== undefined && body.length === 1) {
    outgoing.end(only);
  } else {
    outgoing.cork();
    for (const chunk of body) outgoing.write(chunk);
    outgoing.end();
  }
  if (outgoing.writableLength > 0) countUnread(outgoing, length);
}

export function respondEmpty(outgoing: ServerResponse, status: number, headers: Headers): void {
  outgoing.writeHead(status, [...ALWAYS, ...(status === 204 ? [] : NO_BODY), ...headers]);
  outgoing.end();
}

/** `close`: the rest of the request is not read, so the connection ends with the answer. */
export function respondProblem(
  outgoing: ServerResponse,
  problem: Problem,
  headers: Headers,
  { id = null, close = false }: { id?: RawId | null; close?: boolean } = {},
): void {
  const body = Buffer.from(errorText(id, problem.code, problem.message, problem.data));
  const closing = close ? ['connection', 'close'] : [];
  respondJson(outgoing, problem.status, [body], [...(problem.headers ?? []), ...closing, ...headers], id);
}

export function streamHead(outgoing: ServerResponse, headers: Headers): void {
  outgoing.writeHead(200, ['content-type', 'text/event-stream', 'x-accel-buffering', 'no', ...ALWAYS, ...headers]);
  outgoing.flushHeaders();
}

// — internal —

const NO_BODY: Headers = ['content-length', '0'];

function countUnread(outgoing: ServerResponse, length: number): void {
  unreadBytes += length;
  let counted = true;
  const done = () => {
    if (counted) unreadBytes -= length;
    counted = false;
  };
  outgoing.once('finish', done);
  outgoing.once('close', done);
  outgoing.setTimeout(HTTP_UNREAD_MS, () => outgoing.destroy());
}

function refuseUnread(outgoing: ServerResponse, headers: Headers, id: RawId | null): void {
  const message = `the answer was dropped: ${HTTP_UNREAD_BYTES_MAX / 1024 / 1024} MiB wait for clients that do not read`;
  const body = Buffer.from(errorText(id, INTERNAL_ERROR, message, { reason: 'host does not read' }));
  outgoing.writeHead(200, [
    'content-type',
    'application/json',
    'content-length',
    String(body.length),
    ...ALWAYS,
    ...headers,
  ]);
  outgoing.end(body);
}
