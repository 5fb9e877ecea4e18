import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { McpdError } from '../../errors.ts';
import type { PythonVersion, PythonWork } from './pypi.ts';
import { programsIn } from './python-programs.ts';

/** uv's part: `uv pip compile` says which version, `uv tool install` makes the environment. */

/** uv decides as when it installs, and downloads only what packages say of themselves. */
export async function uvVersion(
  work: PythonWork,
  requirement: string,
  temporary: string,
  timeoutMs: number,
): Promise<PythonVersion> {
  const file = join(temporary, 'requirements.in');
  await writeFile(file, `${requirement}\n`);
  const args = ['pip', 'compile', file, '--no-deps', '--no-header', '--no-annotate', '--generate-hashes'];
  const pinned = await work.run([...args, ...reaching(work)], { timeoutMs });
  const version = /^[^\s#=]+==([0-9A-Za-z.+!_-]+)/m.exec(pinned)?.[1];
  if (version !== undefined) return { version, integrity: integrityOf(pinned) };
  throw new McpdError('FETCH_FAILED', {
    what: `${requirement} could not be fetched`,
    why: 'uv named no version of it',
    fix: 'uv self update',
  });
}

/** `what` is a requirement with its version, or a folder. */
export async function uvInstall(work: PythonWork, what: string, root: string) {
  const { wanted, allowScripts } = work;
  const bin = join(root, 'bin');
  const env = { UV_TOOL_DIR: join(root, 'tools'), UV_TOOL_BIN_DIR: bin, UV_NO_PROGRESS: '1' };
  const scripts = allowScripts ? [] : ['--no-build'];
  const args = ['tool', 'install', what, ...scripts, ...wanted.args, ...reaching(work)];
  await work.run(args, { env });
  return { programs: await programsIn(bin), integrity: null };
}

// — internal —

function reaching({ registry, wanted }: PythonWork): string[] {
  return registry === null || wanted.args.includes('--index-url') ? [] : ['--index-url', indexOf(registry)];
}

/** Registries are named by their site, and asked at their list of packages. */
export function indexOf(registry: string): string {
  return /\/simple\/?$/.test(registry) ? registry : `${registry.replace(/\/$/, '')}/simple`;
}

/** All files of a version, of which a machine takes the one that fits: as SRI writes it, any of them will do. */
function integrityOf(pinned: string): string {
  const hashes = [...pinned.matchAll(/--hash=sha256:([0-9a-f]{64})/g)].map(([, hex = '']) => hex).sort();
  return hashes
    .slice(0, HASHES_MAX)
    .map((hex) => `sha256-${Buffer.from(hex, 'hex').toString('base64')}`)
    .join(' ');
}

/** Packages with compiled parts have some fifty files. */
const HASHES_MAX = 256;
