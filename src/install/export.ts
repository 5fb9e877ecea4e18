import type { DeclaredSet } from '../api/contract.ts';
import type { ServerDefinition, ServerLimits } from '../core/model.ts';
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
    ...programOf(definition, paths),
    ...(Object.keys(launch.env).length === 0 ? {} : { env: { ...launch.env } }),
    ...(start === 'on-demand' ? {} : { start }),
    ...(enabled ? {} : { enabled }),
    ...(given.length === 0 ? {} : { limits: Object.fromEntries(given) }),
  };
}

function programOf({ name, launch, source }: ServerDefinition, paths: Pick<Paths, 'packageOf'>): DeclaredEntry {
  const withArgs = (args: string[]) => (args.length === 0 ? {} : { args });
  const installed = source.kind === 'folder' || source.kind === 'command' ? null : (source.package ?? null);
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
