import type { ServerName } from '../core/model.ts';
import { isMasked } from '../secret-shape.ts';
import { type Mask, maskOf } from './masking.ts';

type Values = ReadonlyMap<string, string>;

export interface MaskSources {
  /** All that is kept for a server: the same map until something of it changes. @throws McpdError SECRETS_DAMAGED, SECRETS_LOCKED */
  secretsOf(server: ServerName): Values;
  /** What stands in its launch as it is, by the name of a credential: the same list until the launch changes. */
  launchSecretsOf?(server: ServerName): readonly string[];
}

/** Hides what is known to be secret about each server: what is kept for it, what it was given of the environment, and what stands in its launch. */
export class ServerMasks {
  readonly #sources: MaskSources;
  readonly #known = new Map<ServerName, Known>();

  constructor(sources: MaskSources) {
    this.#sources = sources;
  }

  /** Made anew when something of it has changed. A value that was replaced stays hidden: a process that runs may still have it. */
  of(server: ServerName): Mask {
    const secrets = this.#secretsOf(server);
    const inLaunch = this.#sources.launchSecretsOf?.(server) ?? NO_VALUES;
    const known = this.#known.get(server);
    if (known !== undefined && known.secrets === secrets && known.inLaunch === inLaunch) return known.mask;
    const values = known?.values ?? new Set<string>();
    for (const value of confidential(secrets)) values.add(value);
    for (const value of inLaunch) values.add(value);
    return this.#keep(server, { secrets, inLaunch, values });
  }

  /** It is given these variables of the environment. */
  learn(server: ServerName, variables: Values): void {
    const mask = this.of(server);
    const { secrets, inLaunch, values } = this.#known.get(server) ?? { ...NOTHING, mask, values: new Set<string>() };
    const fresh = confidential(variables).filter((value) => !values.has(value));
    if (fresh.length > 0) this.#keep(server, { secrets, inLaunch, values: new Set([...values, ...fresh]) });
  }

  forget(server: ServerName): void {
    this.#known.delete(server);
  }

  #keep(server: ServerName, known: Omit<Known, 'mask'>): Mask {
    const mask = maskOf(known.values);
    this.#known.set(server, { ...known, mask });
    return mask;
  }

  #secretsOf(server: ServerName): Values {
    try {
      const secrets = this.#sources.secretsOf(server);
      return secrets.size === 0 ? NONE : secrets;
    } catch {
      return NONE; // they cannot be read: there is nothing to hide, and what needs one of them is told
    }
  }
}

// — internal —

const NONE: Values = new Map();
const NO_VALUES: readonly string[] = [];
const NOTHING = { secrets: NONE, inLaunch: NO_VALUES };

interface Known {
  secrets: Values;
  inLaunch: readonly string[];
  values: Set<string>;
  mask: Mask;
}

function confidential(values: Values): string[] {
  return [...values].filter(([name, value]) => isMasked(name, value)).map(([, value]) => value);
}
