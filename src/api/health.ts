import { lookedAt, reportOf, withoutRepeats } from '../doctor/checks.ts';
import { HEALTH_FRESH_MS } from '../operation-limits.ts';
import { pathsOf } from '../paths.ts';
import type { SecretInfo } from './contract/credentials.ts';
import type { HealthReport } from './contract/health.ts';
import type { DaemonControl } from './daemon-control.ts';

/** What `mcpd doctor` finds, for pages. Looked at once for all who ask at the same time. */
export class Health {
  readonly #control: DaemonControl;
  #last: { at: number; report: Promise<HealthReport> } | null = null;

  constructor(control: DaemonControl) {
    this.#control = control;
  }

  /** `now` is monotonic milliseconds. */
  report(now: number): Promise<HealthReport> {
    if (this.#last !== null && now - this.#last.at < HEALTH_FRESH_MS) return this.#last.report;
    const report = this.#look();
    this.#last = { at: now, report };
    // What could not be looked at is looked at anew by the next one.
    report.catch(() => (this.#last = null));
    return report;
  }

  async #look(): Promise<HealthReport> {
    const status = this.#control.status();
    const now = Date.now();
    const checks = await lookedAt({
      paths: pathsOf(status.home),
      env: process.env,
      now,
      daemon: 'answers',
      status,
      servers: this.#control.servers(),
      secrets: this.#secrets(),
      processes: await this.#control.processes(),
      standings: [], // a page does not wait for other machines
      lock: (await (await this.#control.life()).lock({ deep: false, server: null })).servers,
    });
    return reportOf(withoutRepeats(checks), now);
  }

  #secrets(): SecretInfo[] {
    try {
      return this.#control.secrets();
    } catch {
      return []; // A damaged file, which the look at the home tells.
    }
  }
}
