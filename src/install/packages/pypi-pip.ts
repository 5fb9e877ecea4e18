import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { McpdError } from '../../errors.ts';
import type { PythonVersion, PythonWork } from './pypi.ts';
import { indexOf } from './pypi-uv.ts';
import { consolePrograms } from './python-programs.ts';

/** pip's part, where there is no uv: an environment by venv, and pip inside it. */

/** pip decides as when it installs, and tells what it would take. */
export async function pipVersion(
  work: PythonWork,
  requirement: string,
  temporary: string,
  timeoutMs: number,
): Promise<PythonVersion> {
  const report = join(temporary, 'report.json');
  const args = ['-m', 'pip', 'install', '--dry-run', '--ignore-installed', '--no-deps', '--report', report];
  await work.run([...args, ...settings(work), requirement], { timeoutMs });
  return reported(report, work.wanted.requirement);
}

/** `what` is a requirement with its version, or a folder. */
export async function pipInstall(work: PythonWork, what: string, root: string) {
  const venv = join(root, 'venv');
  await work.run(['-m', 'venv', venv]);
  const bin = join(venv, process.platform === 'win32' ? 'Scripts' : 'bin');
  const python = join(bin, process.platform === 'win32' ? 'python.exe' : 'python');
  const report = join(root, 'report.json');
  const { requirement } = work.wanted;
  const args = ['-m', 'pip', 'install', '--report', report, ...settings(work), what];
  await work.run(args, { program: python });
  const { integrity } = await reported(report, requirement);
  return { programs: await consolePrograms(venv, bin, requirement), integrity };
}

// — internal —

function settings({ registry, allowScripts }: PythonWork): string[] {
  return [
    ...['--quiet', '--no-input', '--disable-pip-version-check'],
    ...(allowScripts ? [] : ['--only-binary', ':all:']),
    ...(registry === null ? [] : ['--index-url', indexOf(registry)]),
  ];
}

interface Report {
  install?: {
    metadata?: { name?: string; version?: string };
    download_info?: { archive_info?: { hashes?: { sha256?: string } } };
  }[];
}

async function reported(file: string, requirement: string): Promise<PythonVersion> {
  const { install = [] } = JSON.parse(await readFile(file, 'utf8')) as Report;
  const wanted = plainName(requirement);
  const own = install.find(({ metadata }) => plainName(metadata?.name ?? '') === wanted);
  const version = own?.metadata?.version;
  if (version === undefined) {
    throw new McpdError('FETCH_FAILED', {
      what: `${requirement} could not be fetched`,
      why: 'pip named no version of it',
      fix: 'python3 -m pip install --upgrade pip',
    });
  }
  const hex = own?.download_info?.archive_info?.hashes?.sha256;
  return { version, integrity: hex === undefined ? '' : `sha256-${Buffer.from(hex, 'hex').toString('base64')}` };
}

/** PyPI takes `My_Pkg[extra]` and `my-pkg` for one name. */
function plainName(name: string): string {
  return name
    .replace(/\[.*$/, '')
    .replace(/[-_.]+/g, '-')
    .toLowerCase();
}
