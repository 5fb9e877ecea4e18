import { lstat, readdir, readFile, readlink, realpath, rm } from 'node:fs/promises';
import { dirname, join, resolve, sep } from 'node:path';
import { errnoOf, McpdError } from '../../errors.ts';
import { GIT_BYTES_MAX, GIT_FILES_MAX, GIT_SIZE_CHECK_MS } from '../../operation-limits.ts';
import { isAbbreviatedCommit, isCommit } from './git-address.ts';
import { isUnadvertised } from './git-failure.ts';
import { type GitRun, remoteCommit } from './git-run.ts';
import type { VersionRequest } from './source.ts';

/** The files of one commit, without what git keeps beside them. What is in them is a stranger's: it is counted before it is written. */

/** @throws McpdError VERSION_UNKNOWN; as `remoteCommit` */
export async function commitOf(git: GitRun, request: VersionRequest, folder: string): Promise<string> {
  const { identifier, range } = request;
  if (isCommit(range)) return range;
  const found = await remoteCommit(git, request);
  if (found !== null) return found.commit;
  const unknown = (why: string) =>
    new McpdError('VERSION_UNKNOWN', {
      what: `${identifier} has no branch, tag or commit ${range}`,
      why,
      fix: `git ls-remote ${identifier}`,
    });
  if (!isAbbreviatedCommit(range)) throw unknown('neither a branch nor a tag is called so');
  await git.run(['init', '--quiet', '--template=', '.'], folder);
  await fetchAll(git, identifier, folder);
  try {
    return (await git.run(['rev-parse', '--verify', '--quiet', `${range}^{commit}`], folder)).trim();
  } catch (error) {
    if (!(error instanceof McpdError)) throw error;
    throw unknown('no commit of its branches and tags, or more than one, begins so');
  }
}

/**
 * Puts the files of `commit` into `folder`, which is empty or holds what `commitOf` left. @returns what a person should know of it
 * @throws McpdError PACKAGE_UNSAFE for links that lead out, and for what is too large; as git fails
 */
export async function checkOut(git: GitRun, identifier: string, commit: string, folder: string): Promise<string[]> {
  await git.run(['init', '--quiet', '--template=', '.'], folder);
  await fetchCommit(git, identifier, commit, folder);
  const { links, submodules } = await listed(git, commit, folder);
  await git.run(['checkout', '--quiet', '--detach', commit, '--'], folder);
  await rm(join(folder, '.git'), { recursive: true });
  for (const link of links) await checkLink(git.label, folder, link);
  return [
    ...(submodules === 0 ? [] : [`${git.label}: its ${submodules} submodules are not fetched`]),
    ...((await usesLargeFiles(folder)) ? [`${git.label}: files that git-lfs keeps elsewhere are not fetched`] : []),
  ];
}

// — internal —

async function fetchCommit(git: GitRun, identifier: string, commit: string, folder: string): Promise<void> {
  try {
    await bounded(git.label, folder, (stop) =>
      git.run([...FETCH, '--no-tags', '--depth=1', '--', identifier, commit], folder, { stop }),
    );
  } catch (error) {
    if (!isUnadvertised(error)) throw error;
    await fetchAll(git, identifier, folder);
  }
}

const FETCH = ['fetch', '--quiet', '--no-recurse-submodules', '--no-auto-maintenance'];

async function fetchAll(git: GitRun, identifier: string, folder: string): Promise<void> {
  const references = ['+refs/heads/*:refs/remotes/origin/*', '+refs/tags/*:refs/tags/*'];
  await bounded(git.label, folder, (stop) => git.run([...FETCH, '--', identifier, ...references], folder, { stop }));
}

/** Ends the work when what it writes grows too large. */
async function bounded(label: string, folder: string, work: (stop: AbortSignal) => Promise<unknown>): Promise<void> {
  const stop = new AbortController();
  const look = async () => {
    if ((await bytesIn(join(folder, '.git', 'objects', 'pack'))) > GIT_BYTES_MAX)
      stop.abort(tooLarge(label, `its history alone has more than ${GIT_BYTES_MAX / MIB} MiB`));
  };
  const timer = setInterval(() => void look(), GIT_SIZE_CHECK_MS);
  try {
    await work(stop.signal);
    await look();
    stop.signal.throwIfAborted();
  } finally {
    clearInterval(timer);
  }
}

const MIB = 1024 * 1024;

async function bytesIn(folder: string): Promise<number> {
  let bytes = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    // Not there any more: git gave it another name.
    bytes += (await lstat(join(folder, name)).catch(() => null))?.size ?? 0;
  }
  return bytes;
}

interface Listed {
  /** Paths of symbolic links. */
  links: string[];
  submodules: number;
}

/** What a checkout would write, by git's own list: a few kilobytes of a repository can stand for more files than any disk has. */
async function listed(git: GitRun, commit: string, folder: string): Promise<Listed> {
  const stop = new AbortController();
  const found: Listed = { links: [], submodules: 0 };
  let [files, bytes, rest] = [0, 0, ''];
  const onOutput = (text: string) => {
    const entries = (rest + text).split('\0');
    rest = entries.pop() ?? '';
    for (const entry of entries) {
      const [, mode, size, path = ''] = /^(\d+) \w+ [0-9a-f]+ +(\d+|-)\t(.*)$/s.exec(entry) ?? [];
      files += 1;
      bytes += Number(size === '-' ? 0 : size);
      if (files > GIT_FILES_MAX || bytes > GIT_BYTES_MAX) return stop.abort(tooLarge(git.label, TOO_MUCH));
      if (mode === '120000') found.links.push(path);
      else if (mode === '160000') found.submodules += 1;
    }
  };
  await git.run(['ls-tree', '-r', '-l', '-z', '--full-tree', commit], folder, { stop: stop.signal, onOutput });
  stop.signal.throwIfAborted();
  return found;
}

const TOO_MUCH = `it has more than ${GIT_FILES_MAX} files, or ${GIT_BYTES_MAX / MIB} MiB`;

async function usesLargeFiles(folder: string): Promise<boolean> {
  const text = await readFile(join(folder, '.gitattributes'), 'utf8').catch(() => ''); // most have none
  return /\bfilter=lfs\b/.test(text);
}

/** Followed by npm or by the server it would read or write elsewhere. */
async function checkLink(label: string, folder: string, link: string): Promise<void> {
  const path = join(folder, link);
  const root = await realpath(folder);
  const target = await realpath(path).catch(async (error: unknown) => {
    const text = await readlink(path);
    // To nothing yet. What is above a name depends on where that leads, as another link may.
    if (errnoOf(error) !== 'ENOENT' || climbsAfterName(text)) throw leadsOut(label, link);
    return resolve(await realpath(dirname(path)), text);
  });
  if (target !== root && !target.startsWith(root + sep)) throw leadsOut(label, link);
}

function climbsAfterName(target: string): boolean {
  const parts = target.split('/').filter((part) => part !== '' && part !== '.');
  const name = parts.findIndex((part) => part !== '..');
  return name !== -1 && parts.includes('..', name);
}

function leadsOut(label: string, link: string): McpdError {
  return new McpdError('PACKAGE_UNSAFE', {
    what: `${label} was not installed`,
    why: `its link ${JSON.stringify(link.slice(0, 120))} leads out of the repository`,
    fix: 'clone it yourself, look at that link, and install the folder',
  });
}

function tooLarge(label: string, why: string): McpdError {
  return new McpdError('PACKAGE_UNSAFE', {
    what: `${label} is too large`,
    why,
    fix: 'clone it yourself, and install the folder',
  });
}
