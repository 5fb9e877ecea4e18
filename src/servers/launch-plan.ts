import { accessSync, constants, statSync } from 'node:fs';
import { mkdir, stat } from 'node:fs/promises';
import type { ServerDefinition, StdioLaunch } from '../core/model.ts';
import { errnoOf, McpdError } from '../errors.ts';
import { placed } from '../own-places.ts';
import { shellWord } from '../shell-word.ts';
import {
  type CommandLookup,
  commandFileArgs,
  isCommandFile,
  type PathFinding,
  resolveCommand,
} from './command-path.ts';
import { type ContainerPlace, engineVariables, isContainer } from './containers.ts';
import { filledLaunch, filledPath, serverEnvironment, variable } from './environment.ts';
import { MARKER_VARIABLE } from './marker.ts';

/** Everything the system needs to start a process. Holds secrets: it is used and forgotten. */
export interface LaunchPlan {
  /** Absolute. */
  file: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Windows: the arguments are one line already. */
  verbatim: boolean;
}

export interface LaunchSurroundings {
  inherited: NodeJS.ProcessEnv;
  loginPath: string;
  /** @throws McpdError SECRETS_DAMAGED, SECRETS_LOCKED */
  secret(name: string): string | undefined;
  /** Those of the person that the launch refers to, as far as they are set. */
  variables: ReadonlyMap<string, string>;
  /** The server's own folder; made when it is not there. */
  dataDir: string;
  marker: string;
  containers: ContainerPlace;
}

/**
 * Finds the command, the folder and the environment of a server.
 * @throws McpdError COMMAND_NOT_FOUND, COMMAND_NOT_EXECUTABLE, FOLDER_UNKNOWN, SECRET_MISSING, VARIABLE_MISSING, SECRETS_DAMAGED, SECRETS_LOCKED, INPUT_INVALID, HOME_UNWRITABLE
 */
export async function planLaunch(
  definition: ServerDefinition,
  kept: StdioLaunch,
  surroundings: LaunchSurroundings,
): Promise<LaunchPlan> {
  const { name } = definition;
  const launch = placed(kept);
  const { dataDir, inherited, loginPath, secret, variables, marker } = surroundings;
  const platform = process.platform;
  const cidFile = isContainer(launch.args) ? surroundings.containers.file() : null;
  const { args, cwd, env } = filledLaunch(launch, { server: name, dataDir, secret, variables, cidFile });
  const declared = cidFile === null ? env : { ...engineVariables(inherited), ...env };
  await makeDataFolder(dataDir);
  await checkFolder(name, cwd);
  // The marker first: it is looked for in every process of the machine.
  const whole = { [MARKER_VARIABLE]: marker, ...serverEnvironment({ inherited, loginPath, declared, platform }) };
  const command = filledPath(launch.command, dataDir);
  const found = findCommand(command, cwd, whole);
  if (found.kind !== 'found') throw lookupError(name, command, found);
  if (cidFile !== null) await surroundings.containers.begins(cidFile, found.path);
  if (platform !== 'win32' || !isCommandFile(found.path))
    return { file: found.path, args, cwd, env: whole, verbatim: false };
  const shell = variable(whole, 'ComSpec', platform) ?? 'C:\\Windows\\System32\\cmd.exe';
  return { file: shell, args: commandFileArgs(found.path, args), cwd, env: whole, verbatim: true };
}

/** The program a command means to a server with this environment: a bare name on its PATH, a path from `cwd`. */
export function findCommand(command: string, cwd: string, env: Readonly<Record<string, string>>): CommandLookup {
  const platform = process.platform;
  const path = variable(env, 'PATH', platform) ?? '';
  const pathext = variable(env, 'PATHEXT', platform) ?? '.COM;.EXE;.BAT;.CMD';
  return resolveCommand(command, { path, pathext, cwd, platform, probe });
}

/** The cause in an exit report: what and why of an error, and what to try. */
export function causeOf(error: McpdError): string {
  return error.parts.fix === undefined ? error.message : `${error.message}; try: ${error.parts.fix}`;
}

// — internal —

function probe(path: string): PathFinding {
  try {
    const found = statSync(path);
    if (found.isDirectory()) return 'folder';
    if (process.platform === 'win32') return 'program';
    // root may read anything, but runs only what somebody may run: access(X_OK) knows both.
    accessSync(path, constants.X_OK);
    return 'program';
  } catch (error) {
    return errnoOf(error) === 'EACCES' ? 'not-executable' : 'missing';
  }
}

function lookupError(
  name: string,
  command: string,
  found: Exclude<ReturnType<typeof resolveCommand>, { kind: 'found' }>,
): McpdError {
  if (found.kind === 'missing') {
    return new McpdError('COMMAND_NOT_FOUND', {
      what: 'spawn ENOENT',
      why: `command ${JSON.stringify(command)} not found; looked in ${found.lookedIn.join(', ') || 'no folder: its PATH is empty'}`,
      fix: `install it, or register ${name} again with the absolute path of its command`,
    });
  }
  if (found.kind === 'folder') {
    return new McpdError('COMMAND_NOT_EXECUTABLE', {
      what: 'spawn EACCES',
      why: `${found.path} is a folder and cannot be run`,
      fix: `register ${name} again with the program inside it`,
    });
  }
  return new McpdError('COMMAND_NOT_EXECUTABLE', {
    what: 'spawn EACCES',
    why: `${found.path} is not executable`,
    fix: `chmod +x ${shellWord(found.path)}`,
  });
}

async function makeDataFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    const what = `the data folder ${folder} cannot be made`;
    throw new McpdError('HOME_UNWRITABLE', { what, why: errnoOf(error) ?? String(error), fix: 'mcpd doctor' });
  }
}

async function checkFolder(name: string, folder: string): Promise<void> {
  const problem = await stat(folder).then(
    (found) => (found.isDirectory() ? null : 'spawn ENOTDIR'),
    (error: unknown) => `spawn ${errnoOf(error) ?? String(error)}`,
  );
  if (problem === null) return;
  throw new McpdError('FOLDER_UNKNOWN', {
    what: problem,
    why: `working folder ${folder} ${problem === 'spawn ENOTDIR' ? 'is not a folder' : 'cannot be entered or does not exist'}`,
    fix: `make that folder, or register ${name} again from another one`,
  });
}
