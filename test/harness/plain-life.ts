import type { LifeControl } from '../../src/api/life-control.ts';

/** A check-up of servers that are not there: all is well with them. */
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
}
