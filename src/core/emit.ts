import { COALESCE_BYTES_MAX } from '../limits.ts';
import { type Edit, line, splice } from '../protocol/bytes.ts';
import type { Frame, RawId } from '../protocol/frame.ts';
import { errorText, resultText } from '../protocol/jsonrpc.ts';
import type { TimerId } from './events.ts';
import { whoseIs } from './instance.ts';
import type { SessionId } from './model.ts';
import type { Refusal } from './refusals.ts';
import type { Core, HostSession, Instance } from './state.ts';
import { type Phase, STATE_OF } from './supervision.ts';

/** The ways in which the core leaves effects. */

export function answer(core: Core, session: SessionId, id: RawId, resultJson: string): void {
  core.out.push({ type: 'to-host', session, bytes: line(resultText(id, resultJson)), class: 'answer', id, about: id });
}

export function refuse(core: Core, session: SessionId, id: RawId | null, refusal: Refusal): void {
  core.out.push({
    type: 'to-host',
    session,
    bytes: line(errorText(id, refusal.code, refusal.message, refusal.data)),
    class: 'answer',
    id,
    about: id,
  });
}

/** `about`: raw id of the host's request to which the notice belongs, if it belongs to one. */
export function notify(core: Core, session: HostSession, text: string, about: RawId | null = null): void {
  core.out.push({ type: 'to-host', session: session.id, bytes: line(text), class: 'notice', id: null, about });
}

/** Passes a server's notice on. */
export function passNotice(
  core: Core,
  session: HostSession,
  frame: Frame,
  edits: readonly Edit[],
  about: RawId | null,
): void {
  const bytes = splice(frame.bytes, frame.length, edits, COALESCE_BYTES_MAX);
  core.out.push({ type: 'to-host', session: session.id, bytes, class: 'notice', id: null, about });
}

export function toServer(core: Core, instance: Instance, text: string): void {
  core.out.push({
    type: 'to-server',
    instance: instance.key,
    generation: instance.generation,
    bytes: line(text),
    id: null,
  });
}

export function arm(core: Core, timer: TimerId, afterMs: number): void {
  core.out.push({ type: 'arm-timer', timer, afterMs: Math.max(0, afterMs) });
}

export function disarm(core: Core, timer: TimerId): void {
  core.out.push({ type: 'disarm-timer', timer });
}

export function log(core: Core, instance: Instance, level: 'info' | 'warn' | 'error', text: string): void {
  core.out.push({ type: 'log', server: instance.server, whose: whoseIs(core, instance), level, text });
}

export function publishServer(core: Core, name: string): void {
  core.out.push({ type: 'publish', topic: 'server', name });
}

/** A finding for health. A new one is told; a changed count is only kept, because a noisy server changes it with each line. */
export function find(core: Core, instance: Instance, topic: string, text: string): void {
  const known = instance.findings.has(topic);
  instance.findings.set(topic, text);
  if (known) return;
  log(core, instance, 'warn', text);
  publishServer(core, instance.server);
}

/** The one place where a phase changes. */
export function enter(core: Core, instance: Instance, phase: Phase, reason: string | null): void {
  const from = STATE_OF[instance.phase];
  const to = STATE_OF[phase];
  instance.phase = phase;
  instance.reason = reason;
  if (from === to) return;
  instance.since = core.now;
  log(core, instance, to === 'failed' ? 'error' : 'info', `${to}${reason === null ? '' : `: ${reason}`}`);
  publishServer(core, instance.server);
  if (instance.purpose.kind !== 'serve') return;
  core.out.push({
    type: 'record-transition',
    transition: {
      at: epoch(core, core.now),
      server: instance.server,
      instance: instance.key,
      from,
      to,
      reason: reason ?? '',
    },
  });
}

/** Milliseconds since 1970 of a monotonic time. */
export function epoch(core: Core, at: number): number {
  return Math.round(core.config.epochMs + at);
}
