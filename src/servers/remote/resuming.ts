import { setTimeout as delay } from 'node:timers/promises';
import {
  REMOTE_RESUMES_MAX,
  REMOTE_STREAM_AGAIN_FIRST_MS,
  REMOTE_STREAM_AGAIN_MAX_MS,
  REMOTE_STREAM_AGAIN_MIN_MS,
} from '../../remote-limits.ts';
import { contentTypeOf, type Exchange } from './exchange.ts';
import { faultOf, RemoteFault } from './fault.ts';
import type { ChannelPorts } from './ports.ts';
import type { LegacySession } from './session.ts';

/**
 * Takes a stream up again that ended before its answer: a legacy server may close it and be asked for the rest, from the last event that
 * had an id. Returns when the answer is there.
 * @throws {RemoteFault} it cannot be had any more
 */
export async function resume(exchange: Exchange, ports: ChannelPorts, session: LegacySession): Promise<void> {
  const { events, out, signal } = exchange;
  const { place } = ports.requester;
  const cut = new RemoteFault('cut', `${place} ended the stream without an answer`);
  if (out.revision !== null || events.lastId === '') throw cut;
  // Each new event shows that it goes on.
  for (let idle = 0; idle < REMOTE_RESUMES_MAX; idle++) {
    await delay(pauseMs(events.retryMs), undefined, { signal });
    const marked = events.marked;
    try {
      await again(exchange, ports, session);
    } catch (thrown) {
      const fault = faultOf(thrown, place);
      if (signal.aborted || !fault.isPassing) throw fault;
    }
    if (exchange.answered) return;
    if (events.marked > marked) idle = -1;
  }
  throw cut;
}

/** Milliseconds before a stream is opened again; a server's own wish counts within bounds. */
export function pauseMs(asked: number | null): number {
  const wanted = Math.max(asked ?? REMOTE_STREAM_AGAIN_FIRST_MS, REMOTE_STREAM_AGAIN_MIN_MS);
  return Math.min(wanted, REMOTE_STREAM_AGAIN_MAX_MS);
}

// — internal —

async function again(exchange: Exchange, ports: ChannelPorts, session: LegacySession): Promise<void> {
  const { requester, headTimeoutMs } = ports;
  const { signal, events } = exchange;
  const headers = {
    accept: 'text/event-stream',
    ...session.headers(),
    'last-event-id': Buffer.from(events.lastId, 'latin1').toString('latin1'),
  };
  const answer = await requester.send({ method: 'GET', headers, body: null, repeatable: true, signal, headTimeoutMs });
  if (answer.status < 300 && contentTypeOf(answer) === 'text/event-stream')
    return exchange.read(answer, requester.place, headTimeoutMs);
  answer.body.destroy();
  const why = `it does not give the rest of it (${answer.status})`;
  throw new RemoteFault(
    answer.status >= 500 ? 'http_status' : 'session_lost',
    `${requester.place} ended the stream without an answer`,
    {
      why,
      status: answer.status,
    },
  );
}
