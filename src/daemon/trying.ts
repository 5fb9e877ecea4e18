import type { Completion, CompletionRequest } from '../api/contract/offers.ts';
import type { TryAnswer, TryEvent, TryQuestion } from '../api/contract/tries.ts';
import { callError } from '../call-error.ts';
import type { SessionId } from '../core/model.ts';
import { fromReport, McpdError } from '../errors.ts';
import type { HostEvent } from '../hosts/connection.ts';
import type { MessageClass } from '../hosts/outbox.ts';
import { TRIES_MAX, TRY_MESSAGE_BYTES_MAX } from '../operation-limits.ts';
import { byteLength } from '../protocol/bytes.ts';
import type { Bytes, Frame, RawId } from '../protocol/frame.ts';
import { errorText, INVALID_PARAMS } from '../protocol/jsonrpc.ts';
import {
  cancelling,
  completionOf,
  isAnswerToCall,
  noticeOf,
  openingOf,
  outcomeOf,
  TRY_HOST,
  type TryOrder,
} from './try-messages.ts';
import { answering, frameOf, questionOf } from './try-questions.ts';

export interface TriesOptions {
  /** A new name for a session of the core. */
  sessionId(): SessionId;
  report(event: HostEvent): void;
  /** Monotonic milliseconds. */
  now(): number;
}

/**
 * A person tries a server: each try is a host of its own with one call, at the door of that one server, so that nothing about it is
 * different from what any host would see.
 */
export class Tries {
  readonly #options: TriesOptions;
  readonly #open = new Map<SessionId, Try>();

  constructor(options: TriesOptions) {
    this.#options = options;
  }

  /**
   * Resolves after the last event was given to `tell`; an aborted `signal` cancels the call.
   * @throws {McpdError} TRIES_FULL, REQUEST_INVALID, before the first event
   */
  run(server: string, request: TryOrder, tell: (event: TryEvent) => void, signal: AbortSignal): Promise<void> {
    if (this.#open.size >= TRIES_MAX)
      throw new McpdError('TRIES_FULL', {
        what: `${TRIES_MAX} tries are under way already`,
        fix: 'end one of them, or answer what it asks',
      });
    const opening = openingOf(request);
    if (opening === null) throw tooDeep('the arguments are');
    const id = this.#options.sessionId();
    return new Promise((resolve) => {
      const over = () => {
        signal.removeEventListener('abort', left);
        this.#open.delete(id);
        resolve();
      };
      const one = new Try({ id, server, request, tell, over, ...this.#options });
      const left = () => one.callOff();
      signal.addEventListener('abort', left);
      this.#open.set(id, one);
      one.begin(opening);
      if (signal.aborted) left();
    });
  }

  /** @throws {McpdError} as the call failed; TRIES_FULL, REQUEST_INVALID */
  async complete(server: string, request: CompletionRequest, signal: AbortSignal): Promise<Completion> {
    let completion: Completion = { values: [], hasMore: false };
    let failed: McpdError | null = null;
    const tell = (event: TryEvent) => {
      if (event.type === 'failed') failed = fromReport(event.error);
      else if (event.type === 'result' && !event.isCut) completion = completionOf(event.result);
    };
    await this.run(server, { kind: 'completion', ...request }, tell, signal);
    if (failed !== null) throw failed;
    return completion;
  }

  /** A message of the core for one of its sessions here. */
  send(session: SessionId, bytes: Bytes, kind: MessageClass, id: RawId | null): void {
    this.#open.get(session)?.take(bytes, kind, id);
  }

  close(session: SessionId, reason: string): void {
    this.#open.get(session)?.fail(new McpdError('CALL_FAILED', { what: 'the try was ended', why: reason }));
  }

  /** @throws {McpdError} TRY_UNKNOWN when nobody waits for that answer (any more), REQUEST_INVALID */
  answer(id: string, question: string, answer: TryAnswer): void {
    const one = this.#open.get(id);
    if (one === undefined) throw new McpdError('TRY_UNKNOWN', { what: 'there is no such try, or it has ended' });
    one.answer(question, answer);
  }

  /** The daemon ends. */
  stop(): void {
    for (const one of [...this.#open.values()])
      one.fail(new McpdError('DAEMON_STOPPING', { what: 'mcpd is stopping', fix: 'again in a moment' }));
  }
}

// — internal —

interface TryOptions extends Omit<TriesOptions, 'sessionId'> {
  id: SessionId;
  server: string;
  request: TryOrder;
  /** The person, where `report` is for the core. */
  tell(event: TryEvent): void;
  over(): void;
}

class Try {
  readonly #options: TryOptions;
  readonly #since: number;
  /** By the names under which they are answered. */
  readonly #questions = new Map<string, { rawId: RawId; question: TryQuestion }>();
  #asked = 0;
  #isOver = false;

  constructor(options: TryOptions) {
    this.#options = options;
    this.#since = options.now();
  }

  begin(opening: readonly Frame[]): void {
    const { id, server, tell } = this.#options;
    tell({ type: 'started', id });
    this.#options.report({
      type: 'host-opened',
      at: this.#options.now(),
      session: id,
      host: TRY_HOST,
      door: { principal: 'local', scope: { kind: 'server', server }, cwd: null, lasts: 'connection' },
      resume: null,
    });
    for (const frame of opening) this.#say(frame);
  }

  take(bytes: Bytes, kind: MessageClass, id: RawId | null): void {
    if (this.#isOver) return;
    if (kind === 'answer') {
      if (isAnswerToCall(id)) this.#answered(bytes);
    } else if (kind === 'question') this.#ask(bytes, id ?? '');
    else this.#notice(bytes);
  }

  answer(name: string, answer: TryAnswer): void {
    const found = this.#questions.get(name);
    if (found === undefined)
      throw new McpdError('TRY_UNKNOWN', {
        what: 'this question is answered already, or nobody waits for it any more',
      });
    const frame = answering(found.rawId, found.question, answer);
    if (frame === null) throw tooDeep('the answer is');
    this.#questions.delete(name);
    this.#say(frame);
  }

  callOff(): void {
    if (this.#isOver) return;
    this.#say(cancelling());
    this.#end();
  }

  fail(error: McpdError): void {
    if (this.#isOver) return;
    this.#options.tell({ type: 'failed', error: error.report(), rpc: null, durationMs: this.#elapsed() });
    this.#end();
  }

  #answered(bytes: Bytes): void {
    const { server, request, tell } = this.#options;
    const outcome = outcomeOf(bytes);
    const durationMs = this.#elapsed();
    if (outcome.kind === 'result') tell({ type: 'result', ...outcome.shown, durationMs });
    else {
      const target = targetOf(request);
      const error = callError(outcome.error, { target, server }).report();
      tell({ type: 'failed', error, rpc: outcome.rpc, durationMs });
    }
    this.#end();
  }

  #ask(bytes: Bytes, rawId: RawId): void {
    const question =
      byteLength(bytes) > TRY_MESSAGE_BYTES_MAX ? { refused: 'its question is too long' } : questionOf(bytes);
    const afterMs = this.#elapsed();
    if ('refused' in question) {
      this.#options.tell({ type: 'question-refused', afterMs, why: question.refused });
      return this.#say(frameOf(errorText(rawId, INVALID_PARAMS, question.refused)));
    }
    if (question.mode === 'roots') {
      this.#options.tell({ type: 'roots-told', afterMs });
      return this.#say(answering(rawId, question, { action: 'accept' }));
    }
    const id = `q${++this.#asked}`;
    this.#questions.set(id, { rawId, question });
    const method = question.mode === 'sampling' ? 'sampling/createMessage' : 'elicitation/create';
    this.#options.tell({ type: 'question', afterMs, id, method, params: question });
  }

  #notice(bytes: Bytes): void {
    const { tell } = this.#options;
    const afterMs = this.#elapsed();
    if (byteLength(bytes) > TRY_MESSAGE_BYTES_MAX) return tell({ type: 'dropped', count: 1 });
    const notice = noticeOf(bytes);
    if (notice.type === 'other') return;
    if (notice.type !== 'withdrawn') return tell({ ...notice, afterMs });
    for (const [id, { rawId }] of this.#questions) {
      if (rawId !== notice.question) continue;
      this.#questions.delete(id);
      tell({ type: 'question-withdrawn', afterMs, id });
    }
  }

  #say(frame: Frame | null): void {
    const { id, now, report } = this.#options;
    if (frame !== null) report({ type: 'host-message', at: now(), session: id, frame });
  }

  #end(): void {
    this.#isOver = true;
    const { id, now, report, over } = this.#options;
    report({ type: 'host-closed', at: now(), session: id });
    over();
  }

  #elapsed(): number {
    return Math.round(this.#options.now() - this.#since);
  }
}

function targetOf(order: TryOrder): string {
  switch (order.kind) {
    case 'resource':
      return order.uri;
    case 'completion':
      return order.argument;
    case 'tool':
    case 'prompt':
      return order.name;
  }
}

function tooDeep(what: string): McpdError {
  return new McpdError('REQUEST_INVALID', { what: `${what} nested too deeply` });
}
