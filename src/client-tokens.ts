import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { McpdError } from './errors.ts';

/** Where the digests of tokens are kept. */
export interface ClientStore {
  allClients(): { name: string; digest: string; addedAt: number }[];
  addClient(client: { name: string; digest: string; addedAt: number }): boolean;
  removeClient(name: string): boolean;
}

/** Tokens of the clients that come in by HTTP: each has its own, so that one can be taken away. Only digests are kept, here and there. */
export class ClientTokens {
  readonly #store: ClientStore;
  readonly #clients: Client[] = [];

  constructor(store: ClientStore) {
    this.#store = store;
    for (const { name, digest, addedAt } of store.allClients())
      this.#clients.push({ name, digest: Buffer.from(digest, 'hex'), addedAt });
  }

  list(): { name: string; addedAt: number }[] {
    return this.#clients.map(({ name, addedAt }) => ({ name, addedAt })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  /** Makes the token of a new client, and forgets it. @throws {McpdError} NAME_INVALID, NAME_TAKEN */
  add(name: string, addedAt: number): string {
    if (!NAME.test(name)) {
      throw new McpdError('NAME_INVALID', {
        what: `${JSON.stringify(name.slice(0, 100))} cannot be the name of a client`,
        why: 'it has up to 32 letters, digits, dots, dashes and underscores, a letter or digit first',
        fix: 'mcpd token add inspector',
      });
    }
    const token = PREFIX + randomBytes(TOKEN_BYTES).toString('base64url');
    const digest = digestOf(token);
    if (!this.#store.addClient({ name, digest: digest.toString('hex'), addedAt })) {
      throw new McpdError('NAME_TAKEN', {
        what: `${name} has a token already`,
        why: 'a token is shown once and cannot be shown again',
        fix: `mcpd token remove ${name}, which ends what it has open, and then add it again`,
      });
    }
    this.#clients.push({ name, digest, addedAt });
    return token;
  }

  /** @throws {McpdError} CLIENT_UNKNOWN */
  remove(name: string): void {
    if (!this.#store.removeClient(name)) {
      throw new McpdError('CLIENT_UNKNOWN', {
        what: `no client is called ${JSON.stringify(name)}`,
        fix: 'mcpd token list',
      });
    }
    const at = this.#clients.findIndex((client) => client.name === name);
    if (at >= 0) this.#clients.splice(at, 1);
  }

  /** Whose token this is, or null. How long it takes says nothing about the tokens that there are. */
  ownerOf(token: string): string | null {
    const digest = digestOf(token);
    let owner: string | null = null;
    for (const client of this.#clients) if (timingSafeEqual(client.digest, digest)) owner = client.name;
    return owner;
  }
}

// — internal —

interface Client {
  name: string;
  digest: Buffer;
  addedAt: number;
}

/** Lets programs that look for leaked secrets know one of ours. */
const PREFIX = 'mcpd_';
const TOKEN_BYTES = 32;
const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$/;

function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}
