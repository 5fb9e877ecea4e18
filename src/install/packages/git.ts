import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { McpdError } from '../../errors.ts';
import { TOOL_RUNS_MAX } from '../../operation-limits.ts';
import { readManifest } from '../folder.ts';
import { isCommit, misleadingReference, repositoryName } from './git-address.ts';
import { checkOut, commitOf } from './git-checkout.ts';
import { gitRun } from './git-run.ts';
import { readyNpmProject } from './npm-project.ts';
import { makeFolder, settle, UNFINISHED } from './package-folder.ts';
import { checkMayBuild, installPythonProject, pythonProjectName } from './pypi-project.ts';
import { Slots } from './slots.ts';
import type { FetchedPackage, PackageRequest, PackageSource, ToolOptions, VersionRequest } from './source.ts';

/**
 * Repositories of git: the files of one commit, by which they are pinned, in mcpd's home. They are started there as a folder in development
 * is where it lies.
 */
export function gitPackages(options: ToolOptions): PackageSource {
  const slots = new Slots(TOOL_RUNS_MAX);
  return {
    fetch: (request, signal, report) => slots.run(signal, () => fetchRepository(options, request, signal, report)),
    versionOf: async (request, signal) => ({
      version: await slots.run(signal, () => versionOf(options, request, signal)),
      integrity: null,
    }),
    preview: async ({ identifier, range }) => ({ command: `<${repositoryName(identifier)}#${range}>`, args: [] }),
  };
}

// — internal —

/** Of the files; what installs them may put an environment beside. */
const CHECKOUT = 'repository';
/** Of a commit, in the name of its folder. */
const FOLDER_CHARS = 12;

async function versionOf(options: ToolOptions, request: VersionRequest, signal: AbortSignal): Promise<string> {
  if (isCommit(request.range)) return request.range;
  const git = await gitRun(options, request, signal);
  const temporary = await makeFolder(request.folder);
  try {
    return await commitOf(git, request, temporary);
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await rmdir(request.folder).catch(() => undefined); // not empty: a version is in use there
  }
}

async function fetchRepository(
  options: ToolOptions,
  request: PackageRequest,
  signal: AbortSignal,
  report: (detail: string) => void,
): Promise<FetchedPackage> {
  const { identifier, allowScripts } = request;
  const git = await gitRun(options, request, signal);
  const temporary = await makeFolder(request.folder);
  let root = temporary;
  try {
    const folder = join(temporary, CHECKOUT);
    await mkdir(folder);
    const commit = await commitOf(git, request, folder);
    report(`commit ${commit}`);
    const warnings = await checkOut(git, identifier, commit, folder);
    const work = { label: git.label, folder, allowScripts, signal, report };
    const manifest = await readManifest(folder);
    const python = manifest === null ? await pythonProjectName(folder) : null;
    const reference = misleadingReference(request.range, commit);
    const installed = {
      ...({ kind: 'git', identifier, version: commit, integrity: `sha1:${commit}` } as const),
      ...(reference === null ? {} : { asked: { reference } }),
    };
    const settled = async () => {
      root = await settle(temporary, request.folder, commit.slice(0, FOLDER_CHARS));
      return join(root, CHECKOUT);
    };
    if (python !== null) {
      checkMayBuild(work);
      // Environments cannot be moved: it gets its name at once, and a mark until it is whole.
      await writeFile(join(temporary, UNFINISHED), '');
      const place = await settled();
      const command = await installPythonProject(options, { ...work, folder: place }, python, root);
      await rm(join(root, UNFINISHED));
      const runnable = { command, args: [] };
      return { installed, root, runnable, description: '', scriptsLeftOut: [], warnings };
    }
    if (manifest === null) throw unknownProject(git.label);
    const project = await readyNpmProject(options, work, manifest);
    const runnable = await project.runnableAt(await settled());
    const description = typeof manifest.description === 'string' ? manifest.description : '';
    const { scriptsLeftOut } = project;
    return { installed, root, runnable, description, scriptsLeftOut, warnings: [...warnings, ...project.warnings] };
  } catch (error) {
    await rm(root, { recursive: true, force: true });
    await rmdir(request.folder).catch(() => undefined); // not empty: another version is in use there
    throw error;
  }
}

function unknownProject(label: string): McpdError {
  return new McpdError('PACKAGE_NOT_RUNNABLE', {
    what: `${label} does not say how it is started`,
    why: 'it has neither a package.json nor a pyproject.toml with a name at its top',
    fix: 'clone it, do what its page says, then: mcpd install ./FOLDER -- COMMAND ARGS',
  });
}
