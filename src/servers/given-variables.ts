import type { Launch, ServerDefinition } from '../core/model.ts';
import { loginShell, readLoginVariables, type ShellStarted } from '../login-shell.ts';
import { secretsIn, variablesIn } from '../secret-references.ts';
import { isOwn } from './environment.ts';
import { profileEnvironment } from './login-path.ts';
import type { ServerMasks } from './server-masks.ts';

interface Sources {
  /** The daemon's environment. */
  inherited: NodeJS.ProcessEnv;
  secretsReady(): Promise<void>;
  masks: Pick<ServerMasks, 'learn'>;
  /** Told of a login shell that is asked. */
  onShell: ShellStarted;
}

/**
 * Makes ready what the launch refers to: secrets can be read after this, as far as they can at all, and its variables, as far as they are
 * set, are returned and masked from now on. Never rejects.
 */
export async function valuesFor(
  { name, launch }: ServerDefinition,
  { inherited, secretsReady, masks, onShell }: Sources,
): Promise<ReadonlyMap<string, string>> {
  const texts = textsOf(launch);
  const [variables] = await Promise.all([
    readVariables([...new Set(texts.flatMap(variablesIn))], inherited, onShell),
    texts.some((text) => secretsIn(text).length > 0) ? secretsReady() : undefined,
  ]);
  masks.learn(name, variables);
  return variables;
}

// — internal —

/**
 * Values of variables for `${env:NAME}`: of the daemon's own environment, else of a login shell's, which is asked when it is needed, so that
 * a changed profile counts from the next start of the server on. Those that are set nowhere are left out. mcpd's own are given to nobody.
 */
async function readVariables(
  names: readonly string[],
  inherited: NodeJS.ProcessEnv,
  onShell: ShellStarted,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const asked = names.filter((name) => !isOwn(name));
  for (const name of asked) {
    const value = inherited[name];
    if (value !== undefined) found.set(name, value);
  }
  const rest = asked.filter((name) => !found.has(name));
  if (rest.length === 0 || process.platform === 'win32') return found;
  const told = await readLoginVariables(loginShell(inherited), profileEnvironment(inherited), rest, onShell);
  return new Map([...found, ...(told ?? [])]);
}

function textsOf(launch: Launch): string[] {
  if (launch.kind === 'http') return Object.values(launch.headers);
  return [...launch.args, launch.cwd ?? '', ...Object.values(launch.env)];
}
