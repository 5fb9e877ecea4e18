import { devNull } from 'node:os';
import { McpdError } from '../../errors.ts';
import { NPM_RESOLVE_MS, TOOL_FETCH_MS } from '../../operation-limits.ts';
import { gitText } from './git-address.ts';
import { gitError } from './git-failure.ts';
import { runTool } from './run-tool.ts';
import { findRuntime, missingRuntime } from './runtimes.ts';
import type { ToolOptions, VersionRequest } from './source.ts';

/** Running git so that nothing but git itself runs: no hook, filter, helper or prompt, and no setting of the user's that could name one. */

export interface GitRun {
  env: NodeJS.ProcessEnv;
  label: string;
  /** @returns what it printed. @throws McpdError why it failed; `stop`'s reason */
  run(args: readonly string[], cwd: string, more?: GitRunMore): Promise<string>;
}

interface GitRunMore {
  timeoutMs?: number;
  /** Ends it, besides the signal of the whole. */
  stop?: AbortSignal;
  onOutput?: (text: string) => void;
}

/** @throws McpdError COMMAND_NOT_FOUND with what installs git */
export async function gitRun(
  options: ToolOptions,
  { identifier, range }: Pick<VersionRequest, 'identifier' | 'range'>,
  signal: AbortSignal,
): Promise<GitRun> {
  const label = gitText(identifier, range);
  const env = await options.env();
  const git = await findRuntime(['git'], env);
  if (git === null) throw missingRuntime('git', label);
  const own = gitEnvironment(env);
  return {
    env,
    label,
    async run(args, cwd, { timeoutMs = TOOL_FETCH_MS, stop, onOutput } = {}) {
      const both = stop === undefined ? signal : AbortSignal.any([signal, stop]);
      const settings = { cwd, env: own, signal: both, timeoutMs, onLine: () => undefined, track: options.track };
      const outcome = await runTool({ command: git.path, args: SETTINGS }, args, { ...settings, onOutput });
      if (outcome.code === 0) return outcome.stdout;
      throw gitError(outcome, { label, tool: 'git', timeoutMs });
    },
  };
}

/**
 * The commit that `range` stands for now; null for what no reference is called.
 * @throws McpdError PACKAGE_UNKNOWN, FETCH_FAILED
 */
export async function remoteCommit(git: GitRun, { identifier, range }: VersionRequest): Promise<RemoteRef | null> {
  const names = range === 'HEAD' ? ['HEAD'] : [`refs/heads/${range}`, `refs/tags/${range}`, `refs/tags/${range}^{}`];
  const listed = await git.run(['ls-remote', '--', identifier, ...names], '/', { timeoutMs: NPM_RESOLVE_MS });
  const commits = new Map(
    [...listed.matchAll(/^([0-9a-f]{40,64})\t(\S+)$/gm)].map(([, commit = '', name = '']) => [name, commit]),
  );
  // A tag with a message stands for the commit that it is about.
  for (const name of [...names].reverse()) {
    const commit = commits.get(name);
    if (commit === undefined) continue;
    if (commit.length === 40) return { commit, name: name.replace('^{}', '') };
    throw new McpdError('PACKAGE_UNSUPPORTED', {
      what: `${git.label} cannot be installed`,
      why: 'the repository is of the kind that names commits by sha-256',
    });
  }
  if (range !== 'HEAD') return null;
  throw new McpdError('PACKAGE_NOT_RUNNABLE', { what: `${git.label} is empty`, why: 'the repository has no commit' });
}

// — internal —

interface RemoteRef {
  commit: string;
  /** As the repository has it. */
  name: string;
}

/** Before the command of git. */
const SETTINGS = [
  ...['-c', `core.hooksPath=${devNull}`, '-c', `core.attributesFile=${devNull}`, '-c', 'core.fsmonitor=false'],
  ...['-c', 'submodule.recurse=false', '-c', 'init.defaultBranch=main', '-c', 'gc.auto=0', '-c', 'core.autocrlf=false'],
  // All of it in one file, by which its size is seen while it comes.
  ...['-c', 'fetch.unpackLimit=1', '-c', 'http.lowSpeedLimit=1000', '-c', 'http.lowSpeedTime=60'],
];

/** What says where certificates are stays; everything else that is git's own could name programs or other folders. */
function gitEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) => /^GIT_SSL_CA(INFO|PATH)$/i.test(name) || !/^(GIT_|SSH_ASKPASS)/i.test(name),
  );
  return {
    ...Object.fromEntries(kept),
    ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_SYSTEM: devNull, GIT_CONFIG_GLOBAL: devNull, GIT_ATTR_NOSYSTEM: '1' },
    ...{ GIT_ALLOW_PROTOCOL: 'https:ssh:file', GIT_TERMINAL_PROMPT: '0' },
    GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
    LC_ALL: 'C',
  };
}
