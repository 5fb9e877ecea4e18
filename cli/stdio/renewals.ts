import type { RawId } from '../../src/protocol/frame.ts';
import { type HostLine, ownLine } from './host-line.ts';

/** Subscriptions under way again after the loss of a daemon, by the shim's own ids. */
export class Renewals {
  readonly #open = new Map<RawId, { uri: string; line: HostLine }>();
  #count = 0;

  /** Requests that make these subscriptions (raw params by URI) again; what was under way is given up. */
  begin(subscriptions: ReadonlyMap<string, string>): HostLine[] {
    for (const { line } of this.#open.values()) line.stage = 'withdrawn';
    this.#open.clear();
    return [...subscriptions].map(([uri, params]) => {
      const id = `"mcpd-shim:${++this.#count}"`;
      const text = `{"jsonrpc":"2.0","id":${id},"method":"resources/subscribe","params":${params}}`;
      const line = ownLine(text, null);
      this.#open.set(id, { uri, line });
      return line;
    });
  }

  /** The URI that is watched again; null when it is not, or the answer is to nothing of this. */
  answered(id: RawId, ok: boolean): string | null {
    const uri = this.#open.get(id)?.uri ?? null;
    this.#open.delete(id);
    // A refused one stays remembered: the next daemon may accept it.
    return ok ? uri : null;
  }
}
