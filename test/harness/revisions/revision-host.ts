import type { Message, MessageId, Result } from '../message.ts';
import { within } from '../until.ts';
import {
  answerOf,
  capabilitiesOf,
  clientInfoOf,
  envelopeOf,
  PREFIX,
  type Question,
  RefusedQuestion,
} from './answers.ts';
import { faultsOfError, faultsOfNotice, faultsOfQuestion, faultsOfResult } from './strictness.ts';
import { type MakeWire, MODERN, type Revision, type Stream, type Wire } from './wire.ts';

/** Against hanging, not a proof of speed. */
const ANSWER_TIMEOUT_MS = 15_000;
const ROUNDS_MAX = 10;
const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];

type Params = Record<string, unknown>;

export interface HostDescription {
  /** Shown in its answers, so that a test sees who was asked. */
  label: string;
  revision: Revision;
  wire: MakeWire;
  /** What it declares; all that its revision knows when left out. */
  capabilities?: Params;
  /** Answers the questions of servers. `answerOf` when left out. */
  answer?(question: Question): Promise<Params> | Params;
}

export interface RequestOptions {
  progressToken?: string | number;
  /** More members of `_meta`. */
  meta?: Params;
  /** Told the id of each request as it is sent; a call of a modern host may need several. */
  onSent?(id: MessageId): void;
}

interface Listed {
  name: string;
  uri?: string;
  description?: string;
}

interface Open {
  method: string;
  token: unknown;
  level: string | undefined;
  progress: number;
  settle(message: Message): void;
}

/**
 * A host that speaks exactly one revision over any transport. It is strict: whatever its revision does not allow is kept in `faults`.
 * Questions are answered in the way of its revision: by an answer, or by another round of the request.
 */
export class RevisionHost {
  readonly revision: Revision;
  readonly label: string;
  readonly faults: string[] = [];
  readonly notices: Message[] = [];
  readonly questions: Question[] = [];
  readonly capabilities: Params;
  private readonly description: HostDescription;
  private wire: Wire | undefined;
  private level: string | undefined;
  private readonly open = new Map<string, Open>();
  private readonly listens = new Map<string, Params>();
  private readonly acknowledged = new Map<string, () => void>();
  private readonly questionIds = new Set<string>();
  private initialized = false;
  private nextId = 1;

  private constructor(description: HostDescription) {
    this.description = description;
    this.revision = description.revision;
    this.label = description.label;
    this.capabilities = description.capabilities ?? capabilitiesOf(description.revision);
  }

  /** A host that is through with its handshake, if its revision has one. */
  static async connect(description: HostDescription): Promise<RevisionHost> {
    const host = new RevisionHost(description);
    host.wire = await description.wire({
      take: (message, stream) => host.take(message, stream),
      fault: (text) => host.faults.push(text),
    });
    if (host.isModern) await host.result('server/discover');
    else {
      const { revision: protocolVersion, capabilities } = host;
      await host.result('initialize', { protocolVersion, capabilities, clientInfo: clientInfoOf(host.label) });
      host.initialized = true;
      await host.notify('notifications/initialized');
      await host.wire.ready();
    }
    return host;
  }

  get isModern(): boolean {
    return this.revision === MODERN;
  }

  /** A request with all its rounds. Resolves with the last answer, result or error. @throws {Error} none came in time */
  async request(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Message> {
    let rest: Params = {};
    for (let round = 0; round < ROUNDS_MAX; round++) {
      const answer = await this.exchange(method, { ...params, ...rest }, options);
      const { result } = answer;
      if (result?.resultType !== 'input_required') return answer;
      rest = {
        ...(result.requestState !== undefined && { requestState: result.requestState }),
        ...(result.inputRequests !== undefined && { inputResponses: await this.answerAll(result.inputRequests) }),
      };
    }
    throw new Error(`${method} needs more than ${ROUNDS_MAX} rounds`);
  }

  /** As `request`, for what must succeed. @throws {Error} the answer is an error */
  async result(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Result> {
    const answer = await this.request(method, params, options);
    if (answer.result === undefined) throw new Error(`${method} was refused: ${JSON.stringify(answer.error)}`);
    return answer.result;
  }

  /** All pages of a list. @throws {Error} the answer is an error */
  async list(kind: 'tools' | 'prompts' | 'resources'): Promise<Listed[]> {
    const entries: Listed[] = [];
    for (let cursor: Params = {}; ; ) {
      const result = await this.result(`${kind}/list`, cursor);
      entries.push(...((result[kind] ?? []) as Listed[]));
      if (result.nextCursor === undefined) return entries;
      cursor = { cursor: result.nextCursor };
    }
  }

  call(name: string, args: Params = {}, options: RequestOptions = {}): Promise<Message> {
    return this.request('tools/call', { name, arguments: args }, options);
  }

  /** One request and its one answer. */
  exchange(method: string, params: Params = {}, options: RequestOptions = {}): Promise<Message> {
    const id = this.nextId++;
    const answer = this.expect(id, method, options.progressToken);
    void this.send({ id, method, params: this.dressed(params, options) });
    options.onSent?.(id);
    return answer;
  }

  /** Gives up a request. Whatever still comes for it is a fault. */
  cancel(id: MessageId): void {
    this.open.delete(key(id));
    if (this.required().abort(id)) return;
    void this.notify('notifications/cancelled', this.isModern ? this.dressed({ requestId: id }) : { requestId: id });
  }

  async setLevel(level: string): Promise<void> {
    this.level = level;
    if (!this.isModern) await this.result('logging/setLevel', { level });
  }

  /** Wants changes of lists and of this resource. Resolves, once they are certain to come, with what ends it. */
  async watch(filter: { lists?: boolean; uri?: string }): Promise<() => Promise<void>> {
    const { uri } = filter;
    if (this.isModern) {
      const id = await this.listen({
        ...(filter.lists && { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }),
        ...(uri !== undefined && { resourceSubscriptions: [uri] }),
      });
      return () => {
        this.listens.delete(key(id));
        this.cancel(id);
        return Promise.resolve();
      };
    }
    if (uri === undefined) return () => Promise.resolve();
    await this.result('resources/subscribe', { uri });
    return async () => {
      await this.result('resources/unsubscribe', { uri });
    };
  }

  notify(method: string, params?: Params): Promise<void> {
    return this.send(params === undefined ? { method } : { method, params });
  }

  received(method: string): Message[] {
    return this.notices.filter((notice) => notice.method === method);
  }

  close(): Promise<void> {
    return within(`the host ${this.label} to close`, this.required().close(), ANSWER_TIMEOUT_MS);
  }

  // — internal —

  private required(): Wire {
    if (this.wire === undefined) throw new RangeError('a host without a wire');
    return this.wire;
  }

  private send(message: Message): Promise<void> {
    return this.required().send({ jsonrpc: '2.0', ...message });
  }

  private dressed(params: Params, { progressToken, meta: more }: RequestOptions = {}): Params {
    const meta = {
      ...more,
      ...(this.isModern && envelopeOf(this.label, this.capabilities, this.level)),
      ...(progressToken !== undefined && { progressToken }),
    };
    return Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  }

  private expect(id: MessageId, method: string, token: unknown): Promise<Message> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.open.delete(key(id));
        reject(new Error(`no answer to ${method} ${key(id)} within ${ANSWER_TIMEOUT_MS} ms`));
      }, ANSWER_TIMEOUT_MS);
      const settle = (message: Message) => {
        clearTimeout(timer);
        resolve(message);
      };
      if (method === 'subscriptions/listen') clearTimeout(timer);
      this.open.set(key(id), { method, token, level: this.level, progress: Number.NEGATIVE_INFINITY, settle });
    });
  }

  private async listen(filter: Params): Promise<MessageId> {
    const id = `listen-${this.nextId++}`;
    this.listens.set(key(id), filter);
    const begun = new Promise<void>((resolve, reject) => {
      this.acknowledged.set(key(id), resolve);
      void this.expect(id, 'subscriptions/listen', undefined).then((ended) => {
        const fault = `a listen ended: ${JSON.stringify(ended)}`;
        if (this.listens.delete(key(id))) this.faults.push(fault);
        reject(new Error(fault));
      });
    });
    void this.send({ id, method: 'subscriptions/listen', params: this.dressed({ notifications: filter }) });
    await within(`${id} to be acknowledged`, begun, ANSWER_TIMEOUT_MS);
    return id;
  }

  private async answerAll(questions: NonNullable<Result['inputRequests']>): Promise<Params> {
    const answers = Object.entries(questions).map(async ([name, { method, params = {} }]) => {
      this.check(faultsOfQuestion(this.revision, this.capabilities, method, params));
      return [name, await this.answer({ id: null, method, params })];
    });
    return Object.fromEntries(await Promise.all(answers)) as Params;
  }

  private answer(question: Question): Promise<Params> | Params {
    this.questions.push(question);
    return (this.description.answer ?? ((asked) => answerOf(this.label, asked)))(question);
  }

  private check(faults: string[]): void {
    this.faults.push(...faults);
  }

  private take(message: Message, stream: Stream): void {
    if (Array.isArray(message)) this.check(['a batch']);
    else if (message.method === undefined) this.takeAnswer(message, stream);
    else if (message.id === undefined) this.takeNotice(message, stream);
    else void this.takeQuestion(message, stream);
  }

  private takeAnswer(message: Message, stream: Stream): void {
    const open = this.open.get(key(message.id));
    if (open === undefined) return this.check([`an answer to nothing: ${JSON.stringify(message).slice(0, 200)}`]);
    this.open.delete(key(message.id));
    if (stream.kind === 'of' && key(stream.request) !== key(message.id)) this.check(['an answer on a foreign stream']);
    if (stream.kind === 'standing') this.check(['an answer on the standing stream']);
    if (message.result !== undefined) this.check(faultsOfResult(this.revision, open.method, message.result));
    else this.check(faultsOfError(this.revision, message.error?.code));
    open.settle(message);
  }

  private async takeQuestion({ id, method = '', params = {} }: Message, stream: Stream): Promise<void> {
    if (this.isModern) return this.check([`the request ${method}, and this revision has none`]);
    if (!this.initialized) this.check([`${method} before the handshake was over`]);
    if (method === 'ping') return this.send({ id: id ?? null, result: {} });
    this.check(faultsOfQuestion(this.revision, this.capabilities, method, params));
    if (this.questionIds.has(key(id))) this.check([`the id ${key(id)} for the second time`]);
    this.questionIds.add(key(id));
    if (stream.kind === 'standing') this.check([`${method} on the standing stream`]);
    if (stream.kind === 'of' && !this.open.has(key(stream.request))) this.check([`${method} on a stream that is over`]);
    const answer = await Promise.resolve(this.answer({ id: id ?? null, method, params })).then(
      (result) => ({ result }),
      (error: unknown) => {
        if (!(error instanceof RefusedQuestion)) throw error;
        return { error: { code: error.code, message: error.message } };
      },
    );
    void this.send({ id: id ?? null, ...answer } as Message);
  }

  private takeNotice(notice: Message, stream: Stream): void {
    const { method = '', params = {} } = notice;
    this.notices.push(notice);
    this.check(faultsOfNotice(this.revision, method));
    if (method === 'notifications/progress') this.takeProgress(params, stream);
    else if (method === 'notifications/message') this.takeLog(params, stream);
    else if (this.isModern) this.takeSubscribed(method, params);
  }

  private takeProgress({ progressToken, progress }: Params, stream: Stream): void {
    const [id, open] = [...this.open].find(([, { token }]) => token !== undefined && token === progressToken) ?? [];
    if (open === undefined) return this.check([`progress of nothing: ${String(progressToken)}`]);
    if (stream.kind === 'of' && key(stream.request) !== id) this.check(['progress on a foreign stream']);
    if (typeof progress !== 'number' || progress <= open.progress) this.check(['progress that does not rise']);
    open.progress = Number(progress);
  }

  private takeLog({ level }: Params, stream: Stream): void {
    const at = LEVELS.indexOf(String(level));
    if (!this.isModern) {
      if (this.level !== undefined && at < LEVELS.indexOf(this.level)) this.check([`a log line of ${String(level)}`]);
      return;
    }
    const requests = [...this.open].filter(([, { method }]) => method !== 'subscriptions/listen');
    const own = stream.kind === 'of' ? requests.filter(([id]) => id === key(stream.request)) : requests;
    const wants = own.some(([, { level: wanted }]) => wanted !== undefined && at >= LEVELS.indexOf(wanted));
    if (!wants) this.check([`a log line of ${String(level)} that no open request wants`]);
  }

  private takeSubscribed(method: string, params: Params): void {
    const id = (params['_meta'] as Params | undefined)?.[`${PREFIX}subscriptionId`] as MessageId | undefined;
    if (method === 'notifications/cancelled') return;
    const filter = this.listens.get(key(id));
    if (filter === undefined) return this.check([`${method} of no subscription: ${JSON.stringify(params)}`]);
    const wanted =
      method === 'notifications/subscriptions/acknowledged' ||
      (method.endsWith('/list_changed') && filter[`${method.split('/')[1]}ListChanged`] === true) ||
      (method === 'notifications/resources/updated' && filter['resourceSubscriptions'] !== undefined);
    if (!wanted) this.check([`${method}, which was not asked for`]);
    if (method === 'notifications/subscriptions/acknowledged') this.acknowledged.get(key(id))?.();
  }
}

const key = (id: MessageId | undefined) => JSON.stringify(id);
