import { McpdError } from '../../src/errors.ts';
import { OFFICIAL_REGISTRY, registryAddresses } from './addresses.ts';

/** Which registries are asked, in this order, and who says so. */
export interface AskedRegistries {
  addresses: string[];
  from: 'settings' | 'environment' | 'default';
  /** Why what was set cannot be followed. Then none is asked: nobody meant the official one. */
  fault: McpdError | null;
}

/** What a person has set goes before what the environment says. `setting` is as `settingOf` writes it; null: nothing was set. */
export function askedRegistries(setting: string | null, env: NodeJS.ProcessEnv): AskedRegistries {
  if (setting !== null) return asked(setting, 'settings');
  const given = env[REGISTRIES_VARIABLE]?.trim() ?? '';
  if (given === '') return { addresses: [OFFICIAL_REGISTRY], from: 'default', fault: null };
  return asked(given === NONE ? '' : given, 'environment');
}

/** As one setting. @throws {McpdError} INPUT_INVALID */
export function settingOf(addresses: readonly string[]): string {
  return registryAddresses(addresses.join(' ')).join(' ');
}

// — internal —

const NONE = 'none';
/** Addresses by commas or white space; `none` asks none. */
const REGISTRIES_VARIABLE = 'MCPD_REGISTRIES';

function asked(text: string, from: AskedRegistries['from']): AskedRegistries {
  try {
    return { addresses: registryAddresses(text), from, fault: null };
  } catch (thrown) {
    if (!(thrown instanceof McpdError)) throw thrown;
    const what =
      from === 'environment'
        ? `${REGISTRIES_VARIABLE} cannot be followed`
        : 'the registries that were set cannot be asked';
    const fault = new McpdError('INPUT_INVALID', { what, why: thrown.message, fix: 'mcpd registries --help' });
    return { addresses: [], from, fault };
  }
}
