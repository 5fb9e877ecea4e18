import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, McpdError } from '../../errors.ts';

/** What npm chose, as its lock file in `folder` says. @throws McpdError FETCH_FAILED */
export async function readLock(folder: string, identifier: string): Promise<Lock> {
  const text = await readFile(join(folder, 'package-lock.json'), 'utf8');
  const packages = (JSON.parse(text) as { packages?: Packages }).packages ?? {};
  const own = packages[`node_modules/${identifier}`];
  const { version, integrity } = own ?? {};
  if (typeof version !== 'string' || !/^[0-9A-Za-z.+-]+$/.test(version)) {
    throw new McpdError('FETCH_FAILED', {
      what: `${identifier} could not be fetched`,
      why: 'npm wrote no version into its lock file',
    });
  }
  return {
    version,
    integrity: typeof integrity === 'string' ? integrity : '',
    withScripts: withScriptsOf(packages),
  };
}

/** Names of what npm put into `folder` that has install scripts; none where it put nothing there. */
export async function withScriptsIn(folder: string): Promise<string[]> {
  const path = join(folder, 'node_modules', '.package-lock.json');
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return '{}';
    throw error;
  });
  return withScriptsOf((JSON.parse(text) as { packages?: Packages }).packages ?? {});
}

// — internal —

type Packages = Record<string, Record<string, unknown>>;

function withScriptsOf(packages: Packages): string[] {
  const found = Object.entries(packages).filter(([, entry]) => entry['hasInstallScript'] === true);
  return found.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
}

interface Lock {
  version: string;
  integrity: string;
  withScripts: string[];
}
