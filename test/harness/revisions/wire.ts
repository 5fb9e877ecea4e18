import type { Message, MessageId } from '../message.ts';

/** The revisions, oldest first. As text they compare like dates. */
export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'] as const;
export type Revision = (typeof REVISIONS)[number];
export const MODERN: Revision = '2026-07-28';

export type Transport = 'stdio' | 'http';

/**
 * Where a message came: on the stream of this request of ours (`of`), on the stream that stands for the whole session, or on the only
 * one that there is.
 */
export type Stream = { kind: 'of'; request: MessageId } | { kind: 'standing' } | { kind: 'only' };

/** How messages of a host travel. A wire knows no meaning but what its transport asks for. */
export interface Wire {
  /** Resolves when the other side has it, as far as the transport can tell. */
  send(message: Message): Promise<void>;
  /** A transport on which closing the stream of a request cancels it does so, and gives true. */
  abort(id: MessageId): boolean;
  /** The handshake is over. */
  ready(): Promise<void>;
  close(): Promise<void>;
}

export interface Receiver {
  take(message: Message, stream: Stream): void;
  /** Something that the transport does not allow. */
  fault(text: string): void;
}

export type MakeWire = (receiver: Receiver) => Promise<Wire>;
