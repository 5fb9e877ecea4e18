import { join } from './bytes.ts';
import type { Envelope, Frame } from './frame.ts';
import { type Member, members } from './members.ts';
import type { RequestMeta } from './meta.ts';

/** A host's request, looked into as far as its routing needs: its params member by member, and no deeper. */
export interface RequestView {
  frame: Frame;
  request: Extract<Envelope, { kind: 'request' }>;
  /** The whole line in one piece; offsets of the members are in it. */
  bytes: Uint8Array;
  params: readonly Member[];
  /** What is in its `_meta`; read by meta.ts, once it is asked. */
  meta: RequestMeta | 'unread';
}

/** Made once: the door by HTTP looks into a request, and the core does again. */
export function viewOf(frame: Frame, request: RequestView['request']): RequestView {
  if (frame.view !== null) return frame.view;
  const bytes = join(frame.bytes);
  const params = request.params === null ? [] : members(bytes, request.params);
  return { frame, request, bytes, params, meta: 'unread' };
}

export function param(view: RequestView, key: string): Member | null {
  for (const one of view.params) if (one.key === key) return one;
  return null;
}
