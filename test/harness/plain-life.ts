import type { LifeControl } from '../../src/api/life-control.ts';
import { serverStatus } from './server-status.ts';

/** What becomes of servers that are not there: all is well with them, and they have the newest version. */
export class PlainLife implements LifeControl {
  readonly #check: (server: string) => void;

  /** @param check throws for a server that is not known */
  constructor(check: (server: string) => void) {
    this.#check = check;
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

  async offerUpdate(...[server, , report]: Parameters<LifeControl['offerUpdate']>): Promise<void> {
    this.#check(server);
    report({ type: 'current', version: '1.0.0' });
  }

  async update(server: string) {
    this.#check(server);
    return { server: serverStatus(server), from: '1.0.0', to: '2.0.0' };
  }

  async rollback(server: string) {
    this.#check(server);
    return { server: serverStatus(server), from: '2.0.0', to: '1.0.0' };
  }

  async pin(server: string, isPinned: boolean) {
    this.#check(server);
    return { server, isPinned };
  }
}
