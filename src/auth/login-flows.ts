import type { LoginLink } from '../api/contract/logins.ts';
import type { ServerName } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { LOGIN_WAIT_MS } from '../operation-limits.ts';
import type { Fetch } from '../proxy-fetch.ts';
import { untilAborted } from '../until-aborted.ts';
import type { Callbacks } from './callbacks.ts';
import { bearerChallenge } from './challenge.ts';
import { askForChallenge } from './first-question.ts';
import type { ClientIdentity, Grant, Grants } from './grants.ts';
import { scopeUnion } from './scopes.ts';

interface FlowSurroundings {
  grants: Grants;
  callbacks: Callbacks;
  port(): number | null;
  now(): number;
  clientMetadataUrl: string | null;
  fetch: Fetch;
}

interface FlowOrder {
  server: ServerName;
  url: string;
  client: ClientIdentity | null;
  /** What the server's refusal asked for; null: the server is asked first. */
  wanted: { resourceMetadata: string | null; scope: string | null } | null;
  /** Scopes to ask for besides. */
  more: string | null;
  /** A person chose something of it, so it cannot be another one that waits already. */
  isChosen: boolean;
}

interface Flow {
  /** `until`: milliseconds since 1970. */
  link: { url: string; until: number } | null;
  /** Told of the link as soon as there is one. */
  watchers: Set<() => void>;
  done: Promise<Grant>;
  abort: AbortController;
}

/** Logins that are under way: one per server, which lasts as long as somebody waits for it. */
export class LoginFlows {
  readonly #surroundings: FlowSurroundings;
  readonly #flows = new Map<ServerName, Flow>();

  constructor(surroundings: FlowSurroundings) {
    this.#surroundings = surroundings;
  }

  /** @throws {McpdError} LOGIN_FAILED, LOGIN_REFUSED, LOGIN_CANCELLED */
  async run(order: FlowOrder, report: (link: LoginLink) => void, signal: AbortSignal): Promise<Grant> {
    const { server } = order;
    const last = this.#flows.get(server);
    // One that was called off is only on its way out.
    const running = last?.abort.signal.aborted ? undefined : last;
    if (running !== undefined && order.isChosen) throw underWay(server);
    const flow = running ?? this.#begin(order);
    const joined = running !== undefined;
    const tell = () => {
      if (flow.link === null) return;
      const { url, until } = flow.link;
      report({ url, expiresInMs: Math.max(0, until - this.#surroundings.now()), joined });
    };
    flow.watchers.add(tell);
    tell();
    try {
      return await untilAborted(flow.done, signal);
    } finally {
      flow.watchers.delete(tell);
      if (flow.watchers.size === 0) callOff(flow, calledOff(server));
    }
  }

  link(server: ServerName): string | null {
    return this.#flows.get(server)?.link?.url ?? null;
  }

  cancel(server: ServerName, reason: McpdError): void {
    const flow = this.#flows.get(server);
    if (flow !== undefined) callOff(flow, reason);
  }

  close(reason: McpdError): void {
    for (const flow of this.#flows.values()) callOff(flow, reason);
  }

  #begin(order: FlowOrder): Flow {
    const abort = new AbortController();
    const report = (url: string) => {
      if (abort.signal.aborted) return;
      flow.link = { url, until: this.#surroundings.now() + LOGIN_WAIT_MS };
      for (const tell of flow.watchers) tell();
    };
    const flow: Flow = { link: null, watchers: new Set(), abort, done: this.#through(order, report, abort.signal) };
    this.#flows.set(order.server, flow);
    const over = () => {
      if (this.#flows.get(order.server) === flow) this.#flows.delete(order.server);
    };
    flow.done.then(over, over); // whoever waits has the error
    return flow;
  }

  async #through(
    { server, url, client, wanted, more }: FlowOrder,
    report: (link: string) => void,
    signal: AbortSignal,
  ): Promise<Grant> {
    const { grants, callbacks, port, now, clientMetadataUrl, fetch } = this.#surroundings;
    const { logIn } = await import('./login.ts');
    const first = wanted === null ? await askForChallenge(fetch, url, signal) : null;
    const asked = wanted ?? bearerChallenge(first?.wwwAuthenticate ?? null);
    const scope = scopeUnion(asked.scope, more);
    const isLocked = first?.refused !== false;
    const order = { url, resourceMetadata: asked.resourceMetadata, isLocked, scope, client, clientMetadataUrl };
    const grant = await logIn(order, { grants, callbacks, port: port(), now, fetch }, report, signal);
    signal.throwIfAborted();
    await grants.save(server, grant);
    if (client !== null)
      await grants.register(grant.issuer, {
        ...client,
        redirectUri: '',
        origin: 'given',
        scope: null,
        secretExpiresAt: null,
      });
    return grant;
  }
}

// — internal —

/** From now on its link is of no use. */
function callOff(flow: Flow, reason: McpdError): void {
  flow.link = null;
  flow.abort.abort(reason);
}

function underWay(server: ServerName): McpdError {
  return new McpdError('LOGIN_CANCELLED', {
    what: `a login at ${server} waits already`,
    why: 'it began without this client id, or without these scopes',
    fix: 'end the other one first: Ctrl-C in its terminal, or Cancel on its page',
  });
}

function calledOff(server: ServerName): McpdError {
  return new McpdError('LOGIN_CANCELLED', { what: `nobody waits any more for the login at ${server}` });
}
