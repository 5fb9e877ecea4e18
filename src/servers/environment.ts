import { posix, win32 } from 'node:path';
import type { StdioLaunch } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { PROXIES_AND_CAS, WINDOWS_BASICS } from '../inherited-names.ts';

/** What a server gets of the daemon's own environment: exact names, and beginnings of names. Nothing else the daemon's starter had. */
interface AllowList {
  names: readonly string[];
  prefixes: readonly string[];
}

const POSIX: AllowList = {
  names: [
    'HOME',
    'PATH',
    'LANG',
    'TERM',
    'TMPDIR',
    'USER',
    'LOGNAME',
    'SHELL',
    'SSH_AUTH_SOCK',
    'DISPLAY',
    'WAYLAND_DISPLAY',
    ...PROXIES_AND_CAS,
  ],
  prefixes: ['LC_', 'XDG_'],
};

const WINDOWS: AllowList = { names: ['Path', ...WINDOWS_BASICS, ...PROXIES_AND_CAS], prefixes: [] };

export interface EnvironmentParts {
  /** The daemon's own environment. */
  inherited: NodeJS.ProcessEnv;
  /** Takes the place of the inherited PATH. */
  loginPath: string;
  /** Filled already (`filledLaunch`). Declared variables win over inherited ones. */
  declared: Readonly<Record<string, string>>;
  platform: NodeJS.Platform;
}

/** The whole environment of a server, without the marker. Windows: names are the same whatever their case, and the declared spelling stays. */
export function serverEnvironment({
  inherited,
  loginPath,
  declared,
  platform,
}: EnvironmentParts): Record<string, string> {
  const key = keyOf(platform);
  const list = platform === 'win32' ? WINDOWS : POSIX;
  const allowed = new Set(list.names.map(key));
  const result = new Map<string, [name: string, value: string]>();
  for (const [name, value] of Object.entries(inherited)) {
    if (value === undefined) continue;
    if (allowed.has(key(name)) || list.prefixes.some((prefix) => name.startsWith(prefix)))
      result.set(key(name), [name, value]);
  }
  result.set(key('PATH'), [result.get(key('PATH'))?.[0] ?? 'PATH', loginPath]);
  for (const [name, value] of Object.entries(declared)) result.set(key(name), [name, value]);
  return Object.fromEntries(result.values());
}

/** A variable by name, in the platform's own sense of equal. */
export function variable(
  environment: Readonly<Record<string, string>>,
  name: string,
  platform: NodeJS.Platform,
): string | undefined {
  const key = keyOf(platform);
  return Object.entries(environment).find(([other]) => key(other) === key(name))?.[1];
}

export interface Fillings {
  /** The server's name, for errors. */
  server: string;
  secret(name: string): string | undefined;
  /** Of the environment of the person, by `${env:NAME}`. */
  variables: ReadonlyMap<string, string>;
  dataDir: string;
  /** Where the id of its container goes; null of a server that is none. */
  cidFile: string | null;
}

/**
 * Arguments, declared variables and the folder with `${secret:NAME}`, `${env:NAME}` and `${dataDir}` replaced, once: what a value contains is
 * not looked at again.
 * @throws McpdError SECRET_MISSING, VARIABLE_MISSING there is no such value; INPUT_INVALID a variable's name or a NUL, which no system can pass on
 */
export function filledLaunch(
  launch: StdioLaunch,
  fillings: Fillings,
): { args: string[]; env: Record<string, string>; cwd: string } {
  const valueFor = (kind: string | undefined, name: string) => {
    if (kind === undefined) return fillings.dataDir;
    return kind === 'secret' ? secretValue(fillings, name) : variableValue(fillings, name);
  };
  const fill = (text: string) =>
    text.replace(PLACEHOLDER, (whole, kind: string | undefined, name: string) =>
      whole === CID_FILE ? (fillings.cidFile ?? whole) : valueFor(kind, name),
    );
  const args = launch.args.map(fill);
  const env = Object.fromEntries(Object.entries(launch.env).map(([name, value]) => [name, fill(value)]));
  const refused = refusal(launch.command, args, env);
  if (refused !== null) {
    throw new McpdError('INPUT_INVALID', {
      what: `${fillings.server} cannot be started`,
      why: refused,
      fix: `mcpd info ${fillings.server} shows its command line; register it again without that`,
    });
  }
  // Not a secret: a path is shown in errors, logs and listings of processes.
  const cwd =
    launch.cwd === null
      ? fillings.dataDir
      : launch.cwd.replace(PLACEHOLDER, (whole, kind: string | undefined, name: string) =>
          kind === 'secret' || whole === CID_FILE ? whole : valueFor(kind, name),
        );
  return { args, env, cwd };
}

/** What is said of a variable that is set nowhere. */
export function variableMissing(server: string, name: string): { what: string; why: string; fix: string } {
  return {
    what: `${server} needs the variable ${name}, which is not set`,
    why: isOwn(name)
      ? 'variables of mcpd itself are given to no server'
      : 'its launch refers to it, and neither the daemon nor a login shell of yours has it',
    fix: `export ${name} in the start file of your login shell, then: mcpd restart ${server}`,
  };
}

/** A variable of mcpd itself, such as its key. */
export function isOwn(name: string): boolean {
  return name.toUpperCase().startsWith('MCPD_');
}

/** A declared working folder or command that names `${dataDir}`. */
export function filledPath(text: string, dataDir: string): string {
  return text.replaceAll('$' + '{dataDir}', dataDir);
}

/** Whether `path` is absolute on that platform. */
export function isAbsolute(path: string, platform: NodeJS.Platform): boolean {
  return platform === 'win32' ? win32.isAbsolute(path) : posix.isAbsolute(path);
}

// — internal —

const PLACEHOLDER = /\$\{(?:(secret|env):([A-Za-z_][A-Za-z0-9_]*)|dataDir|cidFile)\}/g;
const CID_FILE = '$' + '{cidFile}';
const VARIABLE_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

function keyOf(platform: NodeJS.Platform): (name: string) => string {
  return platform === 'win32' ? (name) => name.toUpperCase() : (name) => name;
}

function secretValue({ server, secret }: Fillings, name: string): string {
  const value = secret(name);
  if (value !== undefined) return value;
  throw new McpdError('SECRET_MISSING', {
    what: `${server} needs the secret ${name}, which has no value`,
    why: 'its launch refers to it, and mcpd keeps none of that name for it',
    fix: `mcpd secret set ${server} ${name}`,
  });
}

function variableValue({ server, variables }: Fillings, name: string): string {
  const value = variables.get(name);
  if (value !== undefined) return value;
  throw new McpdError('VARIABLE_MISSING', variableMissing(server, name));
}

function refusal(command: string, args: readonly string[], env: Readonly<Record<string, string>>): string | null {
  if (command.includes('\0')) return 'its command contains a NUL character';
  const argument = args.findIndex((one) => one.includes('\0'));
  if (argument >= 0) return `argument ${argument + 1} contains a NUL character`;
  for (const [name, value] of Object.entries(env)) {
    if (!VARIABLE_NAME.test(name)) return `${JSON.stringify(name)} is no name of an environment variable`;
    if (value.includes('\0')) return `the value of ${name} contains a NUL character`;
  }
  return null;
}
