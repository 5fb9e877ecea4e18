import { randomInt } from 'node:crypto';
import { asMcpdError, McpdError } from '../errors.ts';
import {
  APPROVAL_BYTES_MAX,
  APPROVAL_CODE_MS,
  APPROVAL_CODE_TRIES_MAX,
  APPROVAL_EVENTS_KEPT,
  APPROVAL_MS,
  APPROVALS_ENDED_KEPT,
  APPROVALS_WAITING_MAX,
} from '../operation-limits.ts';
import { pinnedSpec } from '../shown-plan.ts';
import { describedApply } from './approval-apply.ts';
import { usedSecret } from './approval-secret.ts';
import { describedRollback, describedTry, describedUpdate } from './approval-update.ts';
import { checkNothingHidden, type Described, described, describedInstall } from './approval-words.ts';
import { carriedOut, type ShownRequest } from './approval-work.ts';
import type { ApprovalCode, ApprovalEvent, ApprovalInfo, ApprovalRequest, WorkEvent } from './contract/approvals.ts';
import type { DaemonControl } from './daemon-control.ts';
import { sameSecret } from './token.ts';

/**
 * What pages ask for and may not do: it waits here until a person says yes in a terminal, where no page can. What was shown is what is
 * carried out: a request never changes, and an end is an end.
 */
export class Approvals {
  readonly #control: DaemonControl;
  /** Milliseconds since 1970. */
  readonly #now: () => number;
  /** In the order in which they came. */
  readonly #all = new Map<string, Entry>();

  constructor(control: DaemonControl, now: () => number = Date.now) {
    this.#control = control;
    this.#now = now;
  }

  /** @throws {McpdError} APPROVALS_FULL, REQUEST_INVALID, INPUT_INVALID, INPUT_MISSING, SERVER_UNKNOWN, and what an install refuses */
  async ask(asked: ApprovalRequest): Promise<ApprovalInfo> {
    checkSize(asked);
    checkNothingHidden(asked);
    this.#checkRoom();
    const { request, words } = await this.#shownAs(asked);
    // Others may have come meanwhile.
    this.#checkRoom();
    const askedAt = this.#now();
    const { server, says, details, warnings } = words;
    const info: ApprovalInfo = {
      id: this.#freeId(),
      action: request.action,
      ...{ server, says, details, warnings, askedAt },
      expiresAt: askedAt + APPROVAL_MS,
      state: 'waiting',
      canBeTakenBack: true,
      error: null,
    };
    const timer = setTimeout(() => this.#move(entry, 'expired'), APPROVAL_MS);
    timer.unref();
    const entry: Entry = { info, request, timer, code: null, abort: null, events: [], followers: new Set() };
    this.#all.set(info.id, entry);
    return info;
  }

  /** The oldest first. */
  list(): ApprovalInfo[] {
    this.#expire();
    return [...this.#all.values()].map(({ info }) => info);
  }

  /** @throws {McpdError} APPROVAL_UNKNOWN */
  info(id: string): ApprovalInfo {
    return this.#known(id).info;
  }

  /** A person said yes: it is carried out. @throws {McpdError} APPROVAL_UNKNOWN, APPROVAL_ENDED */
  accept(id: string): ApprovalInfo {
    const entry = this.#waiting(id);
    const { request } = entry;
    const abort = new AbortController();
    entry.abort = abort;
    this.#move(entry, 'running');
    void this.#carryOut(entry, request, abort.signal);
    return entry.info;
  }

  /** A person said no. @throws {McpdError} APPROVAL_UNKNOWN, APPROVAL_ENDED */
  decline(id: string): ApprovalInfo {
    const entry = this.#waiting(id);
    this.#move(entry, 'declined');
    return entry.info;
  }

  /** The page takes it back; an install that runs is undone. @throws {McpdError} APPROVAL_UNKNOWN, APPROVAL_ENDED for what cannot be undone */
  withdraw(id: string): ApprovalInfo {
    const entry = this.#known(id);
    if (entry.info.state === 'waiting') this.#move(entry, 'withdrawn');
    else if (entry.info.state === 'running' && !entry.info.canBeTakenBack) throw tooLate(entry.info);
    entry.abort?.abort(new McpdError('INSTALL_CANCELLED', { what: 'the page took it back' }));
    return entry.info;
  }

  /** A code that says yes in the page, for this request alone. @throws {McpdError} APPROVAL_UNKNOWN, APPROVAL_ENDED */
  codeFor(id: string): ApprovalCode {
    const entry = this.#waiting(id);
    const digits = String(randomInt(CODES)).padStart(CODE_DIGITS, '0');
    const expiresAt = Math.min(this.#now() + APPROVAL_CODE_MS, entry.info.expiresAt);
    entry.code = { digits, expiresAt, triesLeft: APPROVAL_CODE_TRIES_MAX };
    return { code: `${digits.slice(0, CODE_DIGITS / 2)}-${digits.slice(CODE_DIGITS / 2)}`, expiresAt };
  }

  /** As `accept`, by a code. Too many wrong ones are a no. @throws {McpdError} APPROVAL_UNKNOWN, APPROVAL_ENDED, FORBIDDEN */
  confirm(id: string, given: string): ApprovalInfo {
    const entry = this.#waiting(id);
    const { code } = entry;
    if (code === null || code.expiresAt <= this.#now()) throw wrongCode(id, 'there is no code for it now');
    if (sameSecret(given.replace(/\D/g, ''), code.digits)) return this.accept(id);
    code.triesLeft -= 1;
    if (code.triesLeft > 0) throw wrongCode(id, 'this is not the code');
    this.#move(entry, 'declined');
    throw wrongCode(id, 'too many codes were wrong, so it counts as declined');
  }

  /** Its state, what happened so far, and then what happens; `isLast` with the last event. Returns the way to stop. */
  follow(id: string, listener: Follower): () => void {
    const entry = this.#known(id);
    const isLast = isEnd(entry.info);
    for (const event of entry.events) listener({ type: 'progress', event }, false);
    listener({ type: 'state', approval: entry.info }, isLast);
    if (!isLast) entry.followers.add(listener);
    return () => entry.followers.delete(listener);
  }

  /** With an install or an update as it will be asked for: of a package the very version that is shown, whatever is the newest by then. */
  async #shownAs(request: ApprovalRequest): Promise<{ request: ShownRequest; words: Described }> {
    if (request.action === 'apply') return { request, words: await describedApply(this.#control, request) };
    if (request.action === 'set-secret') return { request, words: await usedSecret(this.#control, request) };
    if (request.action === 'try-update') return describedTry(this.#control, request);
    if (request.action === 'update') return { request, words: await describedUpdate(this.#control, request) };
    if (request.action === 'rollback') return { request, words: await describedRollback(this.#control, request) };
    if (request.action !== 'install') return { request, words: described(request) };
    const { install } = request;
    const plan = await this.#control.plan(install, { exact: true });
    const missing = plan.inputs.filter(({ required }) => required).map(({ name }) => name);
    if (missing.length > 0)
      throw new McpdError('INPUT_MISSING', { what: `${plan.name} needs ${missing.join(', ')}`, fix: 'fill it in' });
    const spec = pinnedSpec(install.spec, plan);
    return { request: { action: 'install', install: { ...install, spec } }, words: describedInstall(install, plan) };
  }

  async #carryOut(entry: Entry, request: ShownRequest, signal: AbortSignal): Promise<void> {
    try {
      await carriedOut(this.#control, request, entry.info.details, (event) => this.#progress(entry, event), signal);
      this.#move(entry, 'done');
    } catch (thrown) {
      this.#move(entry, 'failed', asMcpdError(thrown, 'INTERNAL', 'it could not be carried out'));
    }
  }

  #progress(entry: Entry, event: WorkEvent): void {
    entry.events.push(event);
    if (entry.events.length > APPROVAL_EVENTS_KEPT) entry.events.shift();
    for (const tell of entry.followers) tell({ type: 'progress', event }, false);
  }

  #move(entry: Entry, state: ApprovalInfo['state'], error: McpdError | null = null): void {
    clearTimeout(entry.timer);
    const canBeTakenBack = state === 'running' && CANCELLABLE.has(entry.info.action);
    entry.info = { ...entry.info, state, canBeTakenBack, error: error?.report() ?? null };
    const isLast = isEnd(entry.info);
    for (const tell of entry.followers) tell({ type: 'state', approval: entry.info }, isLast);
    if (!isLast) return;
    entry.followers.clear();
    entry.code = null;
    entry.abort = null;
    // It may hold secrets.
    entry.request = null;
    const ended = [...this.#all.values()].filter(({ info }) => isEnd(info));
    for (const { info } of ended.slice(0, -APPROVALS_ENDED_KEPT)) this.#all.delete(info.id);
  }

  /** Timers stand still while a machine sleeps. */
  #expire(): void {
    for (const entry of this.#all.values())
      if (entry.info.state === 'waiting' && entry.info.expiresAt <= this.#now()) this.#move(entry, 'expired');
  }

  #known(id: string): Entry {
    this.#expire();
    const entry = this.#all.get(id);
    if (entry !== undefined) return entry;
    throw new McpdError('APPROVAL_UNKNOWN', { what: 'nothing waits under this id', fix: 'mcpd approve' });
  }

  #waiting(id: string): Waiting {
    const entry = this.#known(id);
    if (isWaiting(entry)) return entry;
    throw new McpdError('APPROVAL_ENDED', {
      what: `${entry.info.says}: this does not wait any more`,
      why: `it is ${entry.info.state}`,
      fix: 'ask for it again in the dashboard',
    });
  }

  #checkRoom(): void {
    const waiting = this.list().filter(({ state }) => state === 'waiting' || state === 'running');
    if (waiting.length < APPROVALS_WAITING_MAX) return;
    throw new McpdError('APPROVALS_FULL', {
      what: `${waiting.length} requests wait for a yes already`,
      fix: 'answer them in a terminal: mcpd approve',
    });
  }

  /** Short, since people type it. It opens nothing by itself. */
  #freeId(): string {
    for (;;) {
      const id = randomInt(ID_FIRST, ID_END).toString(36);
      if (!this.#all.has(id)) return id;
    }
  }
}

// — internal —

type Follower = (event: ApprovalEvent, isLast: boolean) => void;

interface Entry {
  info: ApprovalInfo;
  /** Null once it has ended. */
  request: ShownRequest | null;
  timer: NodeJS.Timeout;
  code: { digits: string; expiresAt: number; triesLeft: number } | null;
  /** Of what runs. */
  abort: AbortController | null;
  events: WorkEvent[];
  readonly followers: Set<Follower>;
}
type Waiting = Entry & { request: ShownRequest };

/** What undoes itself when it is called off. The others have their effect in one step, or in steps that nobody can undo. */
const CANCELLABLE: ReadonlySet<ApprovalInfo['action']> = new Set(['install', 'add', 'try-update']);

const CODE_DIGITS = 8;
const CODES = 10 ** CODE_DIGITS;
/** Six digits to the base of 36. */
const ID_FIRST = 36 ** 5;
const ID_END = 36 ** 6;

function isWaiting(entry: Entry): entry is Waiting {
  return entry.info.state === 'waiting' && entry.request !== null;
}

function isEnd({ state }: ApprovalInfo): boolean {
  return state !== 'waiting' && state !== 'running';
}

function tooLate({ says }: ApprovalInfo): McpdError {
  return new McpdError('APPROVAL_ENDED', {
    what: `${says}: this cannot be taken back any more`,
    why: 'somebody said yes, and it is being done',
  });
}

function checkSize(request: ApprovalRequest): void {
  const size = Buffer.byteLength(JSON.stringify(request));
  if (size <= APPROVAL_BYTES_MAX) return;
  throw new McpdError('REQUEST_INVALID', {
    what: `the request has ${size} bytes, and ${APPROVAL_BYTES_MAX} is the most that a person is asked to read`,
    fix: 'use the CLI: mcpd --help',
  });
}

function wrongCode(id: string, what: string): McpdError {
  return new McpdError('FORBIDDEN', { what, fix: `mcpd approve ${id} --code` });
}
