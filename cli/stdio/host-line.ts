import type { BatchAnswers } from '../../src/protocol/batch-answers.ts';
import { byteLength, join, line, slice } from '../../src/protocol/bytes.ts';
import type { Bytes, Frame, RawId, Span } from '../../src/protocol/frame.ts';

/** A line on its way from the host to the daemon. */
export interface HostLine {
  bytes: Bytes;
  length: number;
  /** Null: an answer, or a line that is no message. */
  method: string | null;
  /** Of a request. */
  id: RawId | null;
  params: Span | null;
  /** Without its daemon it waits; all else is sent while one is there. */
  request: boolean;
  /** Asking it twice does no harm: after a loss it is sent again, and the host notices nothing. All else may have taken effect. */
  repeatable: boolean;
  /** Where its answer is gathered, when it is a request that came in a batch. */
  batch: BatchAnswers | null;
  /**
   * `held`: in the shim. `handed`: complete in the daemon's socket, so that it may have been acted upon. `withdrawn`: the host
   * cancelled it while it was held, and it is not sent at all.
   */
  stage: 'held' | 'handed' | 'withdrawn';
}

const REPEATABLE: ReadonlySet<string> = new Set([
  'initialize',
  'server/discover',
  'ping',
  'logging/setLevel',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/subscribe',
  'resources/unsubscribe',
  'subscriptions/listen',
  'completion/complete',
]);

export function hostLine({ bytes, length, envelope }: Frame, batch: BatchAnswers | null): HostLine {
  const { kind } = envelope;
  const method = kind === 'request' || kind === 'notification' ? envelope.method : null;
  return {
    bytes,
    length,
    method,
    id: kind === 'request' ? envelope.id : null,
    params: kind === 'request' || kind === 'notification' ? envelope.params : null,
    request: kind === 'request',
    repeatable: kind === 'request' && REPEATABLE.has(envelope.method),
    batch,
    stage: 'held',
  };
}

/** A line that the shim writes itself; it waits for a daemon as a request does. */
export function ownLine(text: string, id: RawId | null): HostLine {
  const bytes = line(text);
  const length = byteLength(bytes);
  return { bytes, length, method: null, id, params: null, request: true, repeatable: true, batch: null, stage: 'held' };
}

/** An answer that the shim gives for the host. */
export function answerLine(text: string): HostLine {
  return { ...ownLine(text, null), request: false, repeatable: false };
}

/** It answers a question of one daemon, and means nothing to the next. */
export function isAnswer({ request, method }: HostLine): boolean {
  return !request && method === null;
}

/** Raw JSON of the params; `{}` when there are none. */
export function paramsText({ bytes, params }: Pick<HostLine, 'bytes' | 'params'>): string {
  return params === null ? '{}' : Buffer.from(join(slice(bytes, params))).toString('utf8');
}

/** One member of the params when it is a string, else null. */
export function stringParam(from: Pick<HostLine, 'bytes' | 'params'>, name: string): string | null {
  const value = parsedParams(from)[name];
  return typeof value === 'string' ? value : null;
}

/** The params as an object; they have passed the scanner, so they are JSON. */
export function parsedParams(from: Pick<HostLine, 'bytes' | 'params'>): Record<string, unknown> {
  const value: unknown = JSON.parse(paramsText(from));
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}
