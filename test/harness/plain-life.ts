import type { UpdateOffer, VersionState } from '../../src/api/contract/updates.ts';
import type { LifeControl } from '../../src/api/life-control.ts';
import { serverStatus } from './server-status.ts';

/** What becomes of servers that are not there: all is well with them, and they have the newest version. */
export class PlainLife implements LifeControl {
  /** What is known of versions, and the newest one of each. */
  states: VersionState[] = [];
  newest = '2.0.0';
  integrity: string | null = null;
  /** What waits for a yes. */
  waiting: UpdateOffer | null = null;
  /** What fetching and trying another version tells. */
  trying: LifeControl['offerUpdate'] = async (server, _request, report) => {
    this.#check(server);
    report({ type: 'current', version: '1.0.0' });
  };
  readonly #check: (server: string) => void;
  readonly #asked: string[];

  /** @param check throws for a server that is not known */
  constructor(check: (server: string) => void, asked: string[]) {
    this.#check = check;
    this.#asked = asked;
  }

  async verify(...[server, report]: Parameters<LifeControl['verify']>): Promise<void> {
    this.#check(server);
    report({
      type: 'done',
      checkup: { server, score: 100, eras: ['legacy'], protocolVersion: '2025-11-25', durationMs: 1, checks: [] },
    });
  }

  async lock() {
    return { file: '/home/ann/.mcpd/mcpd.lock', servers: [] };
  }

  async agreeToLists(server: string) {
    this.#check(server);
    return { server, locked: null, differences: [] };
  }

  async outdated() {
    return [];
  }

  async versions() {
    return { askedAt: null, servers: this.states };
  }

  async nextVersion(server: string, shown: string | null) {
    this.#check(server);
    const version = shown ?? this.newest;
    return { package: `npm:${server}@${version}`, from: '1.0.0', to: version, integrity: this.integrity };
  }

  async offered(server: string) {
    this.#check(server);
    return this.waiting;
  }

  offerUpdate(...[server, request, report, signal]: Parameters<LifeControl['offerUpdate']>): Promise<void> {
    this.#asked.push(
      ['try', server, request.exactly, request.integrity].filter((word) => word !== undefined).join(' '),
    );
    return this.trying(server, request, report, signal);
  }

  async update(server: string, agreement: string) {
    this.#check(server);
    this.#asked.push(`update ${server} ${agreement}`);
    return { server: serverStatus(server), from: '1.0.0', to: '2.0.0' };
  }

  async rollback(server: string) {
    this.#check(server);
    this.#asked.push(`roll back ${server}`);
    return { server: serverStatus(server), from: '2.0.0', to: '1.0.0' };
  }

  async pin(server: string, isPinned: boolean) {
    this.#check(server);
    return { server, isPinned };
  }
}
