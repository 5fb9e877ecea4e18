import { isUtf8 } from 'node:buffer';
import { JSON_DEPTH_MAX } from '../../limits.ts';
import { byteLength, join } from '../../protocol/bytes.ts';
import type { Bytes, Envelope, Frame, RawId } from '../../protocol/frame.ts';
import { FrameReader } from '../../protocol/framing.ts';
import { jsonString, member, text } from '../../protocol/members.ts';
import { readModernEnvelope } from '../../protocol/meta.ts';
import { param, type RequestView, viewOf } from '../../protocol/request-view.ts';
import { JSON_DEPTH_ADDED_MAX } from '../../remote-limits.ts';
import { headerValue } from './header-value.ts';

/** A message of the core on its way to a remote server, looked into as far as HTTP needs it. */
export type Outgoing =
  | {
      kind: 'request';
      bytes: Bytes;
      length: number;
      id: RawId;
      method: string;
      /** The revision that its `_meta` names; null for a legacy one. */
      revision: string | null;
      view: RequestView;
    }
  | {
      kind: 'notification';
      bytes: Bytes;
      length: number;
      method: string;
      /** Raw id of the request that it takes back. */
      cancels: RawId | null;
    }
  /** The answer to a question of the server. */
  | { kind: 'reply'; bytes: Bytes; length: number };

export type OutgoingRequest = Extract<Outgoing, { kind: 'request' }>;

/** @throws {RangeError} it is no message: the core writes none such */
export function readOutgoing(message: Bytes): Outgoing {
  const frame = frameOf(message);
  const { bytes, length, envelope } = frame;
  if (envelope.kind === 'request') return readRequest(frame, envelope);
  if (envelope.kind === 'notification')
    return { kind: 'notification', bytes, length, method: envelope.method, cancels: cancelledBy(frame, envelope) };
  return { kind: 'reply', bytes, length };
}

/** The one message in these bytes. @throws {RangeError} there is none */
export function frameOf(message: Bytes): Frame {
  const found: Frame[] = [];
  const reader = new FrameReader({
    lineBytesMax: byteLength(message),
    depthMax: JSON_DEPTH_MAX + JSON_DEPTH_ADDED_MAX,
    sampleBytesMax: 0,
    isUtf8,
    onFrame: (frame) => found.push(frame),
    onNoise: () => undefined, // nothing is found then, which is told below
  });
  for (const chunk of message) reader.push(chunk);
  reader.end();
  const [frame] = found;
  if (frame === undefined) throw new RangeError('what is to be sent to a remote server is no message');
  return frame;
}

/** The headers by which a modern server, and whatever stands before it, knows a request without reading it. */
export function routingHeaders({ method, revision, view }: OutgoingRequest): Record<string, string> {
  if (revision === null) return {};
  const key = NAMED_BY[method];
  const named = key === undefined ? null : param(view, key);
  const name = named === null ? null : jsonString(view.bytes, named);
  return {
    'MCP-Protocol-Version': revision,
    'Mcp-Method': headerValue(method),
    ...(name === null ? {} : { 'Mcp-Name': headerValue(name) }),
  };
}

// — internal —

/** The member of `params` that `Mcp-Name` repeats. */
const NAMED_BY: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'tasks/get': 'taskId',
  'tasks/update': 'taskId',
  'tasks/cancel': 'taskId',
};

function readRequest(frame: Frame, request: Extract<Envelope, { kind: 'request' }>): OutgoingRequest {
  const view = viewOf(frame, request);
  const { bytes, length } = frame;
  const { id, method } = request;
  return {
    kind: 'request',
    bytes,
    length,
    id,
    method,
    revision: readModernEnvelope(view)?.protocolVersion ?? null,
    view,
  };
}

function cancelledBy(frame: Frame, { method, params }: Extract<Envelope, { kind: 'notification' }>): RawId | null {
  if (method !== 'notifications/cancelled' || params === null) return null;
  const bytes = join(frame.bytes);
  const id = member(bytes, params, 'requestId');
  return id === null ? null : text(bytes, id);
}
