import type { InstallPlan } from '../api/contract.ts';
import type { PackageKind } from '../core/model.ts';
import { isCommit } from './packages/git-address.ts';
import { isExactVersion } from './spec.ts';

/** Whether what is fetched can be another thing tomorrow, by what its kind takes for a version. Pure. */
export function versionIs(fetch: Fetched | null): InstallPlan['versionIs'] {
  if (fetch === null) return 'none';
  return fetch.fileSha256 !== null || isExact(fetch) ? 'exact' : 'floating';
}

// — internal —

type Fetched = { kind: PackageKind; range: string; fileSha256: string | null };

function isExact({ kind, range }: Fetched): boolean {
  if (kind === 'npm') return isExactVersion(range);
  // A tag of an image can be moved, also one that looks like a version.
  if (kind === 'oci') return /^sha256:[0-9a-f]{64}$/.test(range);
  // A file at an address: only its hash holds it.
  if (kind === 'mcpb') return false;
  // Branches and tags can be moved.
  if (kind === 'git') return isCommit(range);
  return /^\d[0-9A-Za-z.!+-]*$/.test(range);
}
