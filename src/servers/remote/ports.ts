import type { HttpTransport, ServerLock, ServerName } from '../../core/model.ts';
import type { Frame, RawId } from '../../protocol/frame.ts';
import type { Noise } from '../../protocol/framing.ts';
import { errorText, INTERNAL_ERROR, notificationText } from '../../protocol/jsonrpc.ts';
import type { RemoteFault } from './fault.ts';
import { frameOf, type Outgoing } from './outgoing.ts';
import type { Requester } from './requester.ts';
import type { ToolHeaders } from './tool-headers.ts';

/** What a way to a remote server needs of the connection that it belongs to. */
export interface ChannelPorts {
  server: ServerName;
  transport: HttpTransport;
  requester: Requester;
  toolHeaders: ToolHeaders;
  lineBytesMax: number;
  /** From a call sent to the head of its answer. */
  callTimeoutMs: number;
  /** The same for what is no call. */
  headTimeoutMs: number;
  /** Aborted when the connection ends, by whomever. */
  closed: AbortSignal;
  /** `about`: raw id of the request on whose stream it came; null on a stream for all. */
  deliver(frame: Frame, about: RawId | null): void;
  /** `answered`: raw id of the request that it was to answer, where that is known. */
  noise(noise: Noise, answered: RawId | null): void;
  log(level: 'info' | 'warn', text: string): void;
  /** The server is gone for good, or cannot be used. */
  lost(cause: string): void;
  /** A person must act before it lets anybody in. */
  locked(lock: ServerLock): void;
  /** Streamable HTTP is not known there: true when HTTP+SSE is, and the message has gone that way. */
  fallBack(out: Outgoing): Promise<boolean>;
}

/** One way of talking to a remote server. */
export interface Channel {
  /** `full`: it was not taken. What becomes of it is reported later. */
  send(out: Outgoing): 'ok' | 'full';
  /** Says goodbye where that is the custom, when `closed` has been aborted. Never rejects. */
  leave(): Promise<void>;
}

/** What a request gets that failed without an answer: an error in the server's name, that says what happened on the way. */
export function failureFrame(server: ServerName, id: RawId, method: string, fault: RemoteFault): Frame {
  const isOpen = method === 'tools/call' && OUTCOME_OPEN.includes(fault.reason);
  const { fix } = fault.parts;
  // What only a person can change is said where he reads it: hosts show no data.
  const next = fix !== undefined && FOR_PEOPLE.includes(fault.reason) ? `; try: ${fix}` : '';
  const message = `${server}: ${fault.message}${isOpen ? '; whether the call was carried out is not known' : ''}${next}`;
  const status = fault.status === null ? {} : { status: fault.status };
  const data = {
    server,
    reason: fault.reason,
    ...status,
    ...(fix === undefined ? {} : { fix }),
  };
  return frameOf([Buffer.from(errorText(id, INTERNAL_ERROR, message, data))]);
}

/** That a server's lists may be others by now: what it said meanwhile was not heard. */
export function listNotices(): Frame[] {
  return ['tools', 'prompts', 'resources'].map((list) =>
    frameOf([Buffer.from(notificationText(`notifications/${list}/list_changed`, null))]),
  );
}

/** The cause of an exit, for people. */
export function causeOfFault(fault: RemoteFault): string {
  return fault.parts.fix === undefined ? fault.message : `${fault.message}; try: ${fault.parts.fix}`;
}

// — internal —

const FOR_PEOPLE: readonly string[] = ['auth_required', 'header_refused', 'insufficient_scope'];
const OUTCOME_OPEN: readonly string[] = ['timeout', 'cut', 'not_mcp', 'too_large'];
