import type { IncomingHttpHeaders } from 'node:http';
import { LIST_PAGES_MAX } from '../../limits.ts';
import { join } from '../../protocol/bytes.ts';
import type { Frame } from '../../protocol/frame.ts';
import { modernMeta } from '../../protocol/handshake.ts';
import { jsonString, member, text } from '../../protocol/members.ts';
import { readModernEnvelope } from '../../protocol/meta.ts';
import { type OutgoingRequest, readOutgoing } from './outgoing.ts';

export interface Answered {
  frame: Frame;
  /** Of HTTP. */
  headers: IncomingHttpHeaders;
}

/** Requests of a connection's own. */
export interface Asking {
  ownId(): string;
  /** Null when no answer came. */
  ask(out: OutgoingRequest): Promise<Answered | null>;
  /** Takes note of a page of tools. */
  learn(list: OutgoingRequest, page: Frame): void;
  /** Whether a call has headers now. */
  knows(call: OutgoingRequest): boolean;
}

/**
 * Reads the tools of a modern server, because it refused this call for headers that only their list names: a list that is remembered from
 * before is not read again before a call. True when the call has such headers now, and is worth sending again.
 */
export async function learnTools(call: OutgoingRequest, asking: Asking): Promise<boolean> {
  const clientInfo = readModernEnvelope(call.view)?.clientInfo ?? '{}';
  let cursor: string | null = null;
  for (let page = 0; page < LIST_PAGES_MAX; page++) {
    const params: string = `{"_meta":${modernMeta(clientInfo, '{}', null)}${cursor === null ? '' : `,"cursor":${cursor}`}}`;
    const id = asking.ownId();
    const list = readOutgoing([
      Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"tools/list","params":${params}}`),
    ]) as OutgoingRequest;
    const answer = await asking.ask(list);
    if (answer === null) break;
    asking.learn(list, answer.frame);
    cursor = nextCursor(answer.frame);
    if (cursor === null) break;
  }
  return asking.knows(call);
}

// — internal —

/** Raw JSON. */
function nextCursor({ bytes, envelope }: Frame): string | null {
  if (envelope.kind !== 'result') return null;
  const whole = join(bytes);
  const cursor = member(whole, envelope.result, 'nextCursor');
  return cursor === null || jsonString(whole, cursor) === null ? null : text(whole, cursor);
}
