import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { McpdError } from '../../errors.ts';

/** What npm chose, as its lock file in `folder` says. @throws McpdError FETCH_FAILED */
export async function readLock(folder: string, identifier: string): Promise<Lock> {
  const text = await readFile(join(folder, 'package-lock.json'), 'utf8');
  const packages = (JSON.parse(text) as { packages?: Record<string, Record<string, unknown>> }).packages ?? {};
  const own = packages[`node_modules/${identifier}`];
  const { version, integrity } = own ?? {};
  if (typeof version !== 'string' || !/^[0-9A-Za-z.+-]+$/.test(version)) {
    throw new McpdError('FETCH_FAILED', {
      what: `${identifier} could not be fetched`,
      why: 'npm wrote no version into its lock file',
    });
  }
  const withScripts = Object.entries(packages).filter(([, entry]) => entry['hasInstallScript'] === true);
  return {
    version,
    integrity: typeof integrity === 'string' ? integrity : '',
    withScripts: withScripts.map(([path]) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)),
  };
}

// — internal —

interface Lock {
  version: string;
  integrity: string;
  withScripts: string[];
}
