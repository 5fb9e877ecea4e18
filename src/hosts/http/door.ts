import type { ServerResponse } from 'node:http';
import type { Scope, SessionId } from '../../core/model.ts';
import type { Bytes, RawId } from '../../protocol/frame.ts';
import type { HostEvent } from '../connection.ts';
import type { MessageClass } from '../outbox.ts';
import type { Head } from './head.ts';
import type { Headers } from './respond.ts';

/** What the parts of the HTTP door have in common. */

/** A request that was let in. */
export interface Guest {
  outgoing: ServerResponse;
  head: Head;
  /** The name of the client whose token it brought. */
  client: string;
  scope: Scope;
  /** Of every answer to it. */
  headers: Headers;
}

/** One session of the core, as far as its messages go out by HTTP. */
export interface Sink {
  readonly client: string;
  send(bytes: Bytes, kind: MessageClass, id: RawId | null, about: RawId | null): void;
  /** Ends it; the core is told. */
  end(reason: string): void;
  /** The daemon will stop: what is open for ever ends now, in good order. */
  drain(): void;
  /** Time has passed. */
  look(now: number): void;
}

/** What a sink tells the rest of the daemon. */
export interface Wire {
  session: SessionId;
  report(event: HostEvent): void;
  now(): number;
  /** It is over: nothing will be sent to it any more. */
  over(): void;
}
