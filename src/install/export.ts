import { findEntry } from '../../registry/catalog.ts';
import type { DeclaredSet } from '../api/contract.ts';
import type {
  HttpLaunch,
  InstalledPackage,
  ServerDefinition,
  ServerLimits,
  Sharing,
  StdioLaunch,
} from '../core/model.ts';
import { OWN_NODE } from '../own-places.ts';
import type { Paths } from '../paths.ts';
import { BUNDLE_FOLDER } from './bundle/places.ts';
import { bundleText } from './bundle/spec.ts';
import type { DeclaredEntry } from './declared.ts';
import type { InstallPorts } from './ports.ts';
import { packageText } from './spec.ts';

type ExportPorts = { paths: Pick<Paths, 'packageOf'> } & Pick<InstallPorts, 'catalog'>;

/**
 * What is installed, in the form that `mcpd apply -f` reads. Packages at their exact version. Secret values are not in it: a launch holds
 * references only. A development folder becomes its command line.
 * @param lock with the integrity of packages, which an apply insists on
 */
export function exportSet(
  definitions: readonly ServerDefinition[],
  ports: ExportPorts,
  { lock }: { lock: boolean },
): DeclaredSet {
  const entries = definitions.map((definition) => [definition.name, entryOf(definition, ports, lock)]);
  return { mcpServers: Object.fromEntries(entries) };
}

// — internal —

function installText({ kind, identifier, version, integrity }: InstalledPackage): string {
  return kind === 'mcpb'
    ? bundleText(identifier, integrity.replace(/^sha256:/, ''))
    : packageText(kind, identifier, version);
}

/** What its install names besides; of a bundle the hash stands in the spec. */
function packageFacts(
  { kind, integrity, asked = {} }: InstalledPackage,
  lock: boolean,
): Pick<DeclaredEntry, 'package'> {
  const { registry, runtimeArguments } = asked;
  const facts = {
    ...(lock && integrity !== '' && kind !== 'mcpb' ? { integrity } : {}),
    ...(registry === undefined ? {} : { registry }),
    ...(runtimeArguments === undefined ? {} : { runtimeArguments }),
  };
  return Object.keys(facts).length === 0 ? {} : { package: facts };
}

function entryOf(definition: ServerDefinition, ports: ExportPorts, lock: boolean): DeclaredEntry {
  const { launch, start, sharing, enabled, limits } = definition;
  const given = Object.entries(limits).filter((limit): limit is [keyof ServerLimits, number] => limit[1] !== null);
  return {
    ...(launch.kind === 'http' ? addressOf(launch) : programOf(definition, launch, ports.paths, lock)),
    ...(start === 'on-demand' ? {} : { start }),
    ...(sharing === usualSharing(definition, ports) ? {} : { sharing }),
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
  lock: boolean,
): DeclaredEntry {
  const env = Object.keys(launch.env).length === 0 ? {} : { env: { ...launch.env } };
  const withArgs = (args: string[]) => ({ ...(args.length === 0 ? {} : { args }), ...env });
  const installed = 'package' in source ? (source.package ?? null) : null;
  // Of a container or a tool of NuGet the command line is all there is: it names the exact version.
  const isInHome = installed !== null && installed.kind !== 'oci' && installed.kind !== 'nuget';
  if (isInHome) {
    const folder = paths.packageOf(name);
    const words = [launch.command, ...launch.args];
    const program = words.findIndex((word) => word.startsWith(folder));
    const own = installed.kind === 'mcpb' ? launch.cwd : null;
    const elsewhere = (text: string) => (own === null ? text : text.replaceAll(own, BUNDLE_FOLDER));
    const variables = Object.entries(launch.env).map(([variable, text]) => [variable, elsewhere(text)]);
    return {
      install: installText(installed),
      ...packageFacts(installed, lock),
      ...withArgs(words.slice(program + 1).map(elsewhere)),
      ...(variables.length === 0 ? {} : { env: Object.fromEntries(variables) }),
    };
  }
  const bundled = bundledName(source);
  // Its first argument is its file in mcpd's own folder.
  if (bundled !== undefined) return { install: bundled, ...withArgs(launch.args.slice(1)) };
  return {
    command: launch.command === OWN_NODE ? 'node' : launch.command,
    ...withArgs([...launch.args]),
    ...(launch.cwd === null ? {} : { cwd: launch.cwd }),
  };
}

/** What an install of the exported entry would set by itself. */
function usualSharing({ source }: ServerDefinition, { catalog }: ExportPorts): Sharing {
  const bundled = bundledName(source);
  return bundled === undefined ? 'auto' : (findEntry(bundled, catalog())?.sharing ?? 'auto');
}

/** Of a server that is installed by its name in the catalog and not as a package. */
function bundledName(source: ServerDefinition['source']): string | undefined {
  if (source.kind === 'catalog') return source.package === null ? source.ref : undefined;
  return source.kind === 'file' && source.package === undefined ? source.install : undefined;
}
