import type { ProtocolMessage } from '../api/contract/logs.ts';
import { showable } from '../text.ts';

/** `→ request      tools/call forecast · id 7 · 312 B`: what a message was, for people. Pure. */
export function protocolText(message: ProtocolMessage, server: string): string {
  const { direction, kind, instance, id, method, tool, bytes, tookMs, errorCode } = message;
  const what = kind === 'error' && errorCode !== null ? `error ${errorCode}` : kind;
  const about = method === null ? '(to a request that was not seen)' : tool === null ? method : `${method} ${tool}`;
  const facts = [
    about,
    ...(id === null ? [] : [`id ${id}`]),
    `${bytes} B`,
    ...(tookMs === null ? [] : [`${tookMs < 100 ? tookMs.toFixed(1) : Math.round(tookMs)} ms`]),
    ...(instance === server ? [] : [`process ${instance}`]),
  ];
  return `${direction === 'to-server' ? '→' : '←'} ${what.padEnd(KIND_CHARS)} ${showable(facts.join(' · '))}`;
}

// — internal —

/** Of `notification` and of `error -32601`. */
const KIND_CHARS = 12;
