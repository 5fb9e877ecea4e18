import type { InstalledPackage } from '../core/model.ts';
import { McpdError } from '../errors.ts';

/** Why a server stays at its version. Pure. */

export function notAsShown(name: string, shown: string | undefined): McpdError {
  return new McpdError('UPDATE_CHANGED', {
    what: `${name} was not updated`,
    why: `${shown ?? 'one'} was shown, and another one is there now`,
    fix: `mcpd update ${name}`,
  });
}

export function otherBundle(name: string, pack: InstalledPackage, wanted: string, found: string): McpdError {
  return new McpdError('VERSION_UNKNOWN', {
    what: `${name} cannot be updated to ${wanted}`,
    why: `the bundle at ${pack.identifier} has ${found}`,
    fix: `mcpd update ${name}; or install the bundle that has it`,
  });
}
