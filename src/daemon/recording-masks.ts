import type { Launch } from '../core/model.ts';
import type { Mask } from '../recorder/keeping.ts';
import { secretsInLaunch } from '../recorder/secret-fields.ts';
import { isConfidential } from '../secret-shape.ts';
import { maskOf } from '../servers/masking.ts';
import type { Parts } from './parts.ts';

/** Hides what is secret about a server: its values in the secrets file, and what stands in its launch by the name of a credential. */
export class RecordingMasks {
  readonly #parts: Pick<Parts, 'secrets' | 'gateway'>;
  readonly #known = new Map<string, Known>();

  constructor(parts: Pick<Parts, 'secrets' | 'gateway'>) {
    this.#parts = parts;
  }

  /** Made anew when something of it has changed. A value that was replaced stays hidden: a process that runs may still have it. */
  of(server: string): Mask {
    const secrets = this.#secretsOf(server);
    const launch = this.#parts.gateway.view.servers.get(server)?.definition.launch ?? null;
    const known = this.#known.get(server);
    if (known !== undefined && known.secrets === secrets && known.launch === launch) return known.mask;
    const values = known?.values ?? new Set<string>();
    for (const [name, value] of secrets) if (isConfidential(name, value)) values.add(value);
    for (const value of launch === null ? [] : secretsInLaunch(launch)) values.add(value);
    const mask = maskOf(values);
    this.#known.set(server, { secrets, launch, values, mask });
    return mask;
  }

  forget(server: string): void {
    this.#known.delete(server);
  }

  #secretsOf(server: string): ReadonlyMap<string, string> {
    try {
      const secrets = this.#parts.secrets.mapOf(server);
      return secrets.size === 0 ? NONE : secrets;
    } catch {
      return NONE; // SECRETS_DAMAGED: there is nothing to hide, and what needs one of them is told
    }
  }
}

// — internal —

const NONE: ReadonlyMap<string, string> = new Map();

interface Known {
  /** A changed file is another map, and a changed definition another launch. */
  secrets: ReadonlyMap<string, string>;
  launch: Launch | null;
  values: Set<string>;
  mask: Mask;
}
