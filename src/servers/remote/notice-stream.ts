import { setTimeout as delay } from 'node:timers/promises';
import { REMOTE_STREAM_AGAIN_FIRST_MS, REMOTE_STREAM_AGAIN_MAX_MS } from '../../remote-limits.ts';
import { readBody } from './body.ts';
import { EventStream } from './event-stream.ts';
import { contentTypeOf } from './exchange.ts';
import { faultOf } from './fault.ts';
import { FrameFeed } from './frame-feed.ts';
import type { ChannelPorts } from './ports.ts';
import { RemoteLock } from './requester.ts';
import { pauseMs } from './resuming.ts';
import type { LegacySession } from './session.ts';

/**
 * The stream on which a legacy server says what nobody asked for. Not every server has one; it may end at any time and is opened again,
 * behind the last event that had an id.
 */
export class NoticeStream {
  readonly #ports: ChannelPorts;
  readonly #session: LegacySession;
  readonly #events: EventStream;
  #course: AbortController | null = null;
  #heard = false;
  #isTooLong = false;

  constructor(ports: ChannelPorts, session: LegacySession) {
    this.#ports = ports;
    this.#session = session;
    const feed = new FrameFeed(ports.lineBytesMax, {
      onFrame: (frame) => ports.deliver(frame, null),
      onNoise: (noise) => ports.noise(noise, noise.asks ? null : noise.id),
    });
    this.#events = new EventStream({
      eventBytesMax: ports.lineBytesMax,
      onEvent: ({ type, data }) => {
        this.#heard = true;
        if (type !== 'message') return;
        feed.push(data);
        feed.end();
      },
      onTooLong: () => {
        this.#isTooLong = true;
        ports.log('warn', `an unasked message of more than ${ports.lineBytesMax} bytes was dropped`);
      },
    });
  }

  open(): void {
    this.close();
    const course = new AbortController();
    this.#course = course;
    this.#events.lastId = '';
    void this.#follow(AbortSignal.any([course.signal, this.#ports.closed]));
  }

  close(): void {
    this.#course?.abort();
    this.#course = null;
  }

  /** Never rejects: calls go on without this stream. */
  async #follow(signal: AbortSignal): Promise<void> {
    let waitMs = REMOTE_STREAM_AGAIN_FIRST_MS;
    try {
      for (;;) {
        this.#heard = false;
        if (!(await this.#listen(signal))) return;
        waitMs = this.#heard ? REMOTE_STREAM_AGAIN_FIRST_MS : Math.min(2 * waitMs, REMOTE_STREAM_AGAIN_MAX_MS);
        const { retryMs } = this.#events;
        // One that ends its streams at once, with nothing on them, is not asked as soon as it says.
        const isHeeded = retryMs !== null && (this.#heard || waitMs <= 2 * REMOTE_STREAM_AGAIN_FIRST_MS);
        await delay(isHeeded ? pauseMs(retryMs) : waitMs, undefined, { signal });
      }
    } catch (thrown) {
      if (signal.aborted) return;
      this.#ports.log(
        'warn',
        `unasked messages are not heard any more: ${faultOf(thrown, this.#ports.requester.place).message}`,
      );
    }
  }

  /** False when there is no such stream. */
  async #listen(signal: AbortSignal): Promise<boolean> {
    const { requester, headTimeoutMs } = this.#ports;
    const { lastId } = this.#events;
    const headers = {
      accept: 'text/event-stream',
      ...this.#session.headers(),
      ...(lastId === '' ? {} : { 'last-event-id': lastId }),
    };
    try {
      const answer = await requester.send({
        method: 'GET',
        headers,
        body: null,
        repeatable: true,
        signal,
        headTimeoutMs,
      });
      if (answer.status >= 300 || contentTypeOf(answer) !== 'text/event-stream') {
        answer.body.destroy();
        // What is over in a while is tried again; 405 says that there is none, and other refusals come to the same.
        return answer.status >= 500 && answer.status !== 501;
      }
      this.#events.restart();
      this.#isTooLong = false;
      const take = (chunk: Uint8Array) => {
        this.#events.push(chunk);
        return this.#isTooLong ? 'stop' : 'go-on';
      };
      await readBody(answer.body, { place: requester.place, pauseMs: null, take });
      return true;
    } catch (thrown) {
      if (signal.aborted || thrown instanceof RemoteLock) throw thrown;
      return faultOf(thrown, requester.place).isPassing;
    }
  }
}
