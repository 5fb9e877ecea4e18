import { DASHBOARD_CODE_MS, DASHBOARD_CODES_MAX } from '../operation-limits.ts';

/**
 * One-time codes: `mcpd dashboard` puts one behind the `#` of the address, the page gives it for the token. A code works once and not
 * for long, so it is worth nothing in a history or a screenshot. Time and secrets come from outside.
 */
export class DashboardCodes {
  /** Digest-free: a code has 256 bits, and a lookup in a Map tells nothing useful about them. Value: when it ends, monotonic ms. */
  private readonly ends = new Map<string, number>();

  add(code: string, now: number): void {
    this.forget(now);
    for (const oldest of this.ends.keys()) {
      if (this.ends.size < DASHBOARD_CODES_MAX) break;
      this.ends.delete(oldest);
    }
    this.ends.set(code, now + DASHBOARD_CODE_MS);
  }

  /** True once for each code that has not ended. */
  use(code: string, now: number): boolean {
    this.forget(now);
    return this.ends.delete(code);
  }

  private forget(now: number): void {
    for (const [code, end] of this.ends) {
      if (end <= now) this.ends.delete(code);
    }
  }
}
