import type { DeclaredSet } from '../api/contract.ts';
import type { HttpLaunch, ServerDefinition, ServerLimits, StdioLaunch } from '../core/model.ts';
import { OWN_NODE } from '../own-places.ts';
import type { Paths } from '../paths.ts';
import type { DeclaredEntry } from './declared.ts';

/**
 * What is installed, in the form that `mcpd apply -f` reads. Packages at their exact version. Secret values are not in it: a launch holds
 * references only. A development folder becomes its command line.
 */
export function exportSet(definitions: readonly ServerDefinition[], paths: Pick<Paths, 'packageOf'>): DeclaredSet {
  return {
    mcpServers: Object.fromEntries(definitions.map((definition) => [definition.name, entryOf(definition, paths)])),
  };
}

// — internal —

function entryOf(definition: ServerDefinition, paths: Pick<Paths, 'packageOf'>): DeclaredEntry {
  const { launch, start, enabled, limits } = definition;
  const given = Object.entries(limits).filter((limit): limit is [keyof ServerLimits, number] => limit[1] !== null);
  return {
    ...(launch.kind === 'http' ? addressOf(launch) : programOf(definition, launch, paths)),
    ...(start === 'on-demand' ? {} : { start }),
    ...(enabled ? {} : { enabled }),
    ...(given.length === 0 ? {} : { limits: Object.fromEntries(given) }),
  };
}

function addressOf({ url, transport, headers }: HttpLaunch): DeclaredEntry {
  return {
    url,
    ...(transport === 'auto' ? {} : { transport }),
    ...(Object.keys(headers).length === 0 ? {} : { headers: { ...headers } }),
  };
}

function programOf(
  { name, source }: ServerDefinition,
  launch: StdioLaunch,
  paths: Pick<Paths, 'packageOf'>,
): DeclaredEntry {
  const env = Object.keys(launch.env).length === 0 ? {} : { env: { ...launch.env } };
  const withArgs = (args: string[]) => ({ ...(args.length === 0 ? {} : { args }), ...env });
  const installed = 'package' in source ? (source.package ?? null) : null;
  if (installed !== null) {
    const folder = paths.packageOf(name);
    const words = [launch.command, ...launch.args];
    const program = words.findIndex((word) => word.startsWith(folder));
    return { install: `npm:${installed.identifier}@${installed.version}`, ...withArgs(words.slice(program + 1)) };
  }
  // A bundled server: its first argument is its file in mcpd's own folder.
  const bundled = source.kind === 'catalog' ? source.ref : source.kind === 'file' ? source.install : undefined;
  if (bundled !== undefined) return { install: bundled, ...withArgs(launch.args.slice(1)) };
  return {
    command: launch.command === OWN_NODE ? 'node' : launch.command,
    ...withArgs([...launch.args]),
    ...(launch.cwd === null ? {} : { cwd: launch.cwd }),
  };
}
