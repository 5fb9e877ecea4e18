import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ServerDefinition } from '../core/model.ts';
import { errnoOf, McpdError } from '../errors.ts';
import { KEPT_AFTER_PROOF_MS } from '../operation-limits.ts';
import { unknownServer } from '../unknown-server.ts';
import { UNFINISHED } from './packages/package-folder.ts';
import type { InstallPorts } from './ports.ts';
import { exists, removeEmpty } from './traces.ts';

/**
 * Removes a server: first from the registry, then its processes, its package and its secrets. Its data and logs stay unless `purge`.
 * The caller has the name reserved.
 * @throws McpdError SERVER_UNKNOWN with the closest names; SECRETS_DAMAGED, and then nothing was done: its secrets could not go with it
 */
export async function removeServer(ports: InstallPorts, name: string, { purge }: { purge: boolean }): Promise<void> {
  const { registry, paths, secrets } = ports;
  await secrets.ready();
  if (secrets.damage !== null) throw secrets.damage;
  // An entry that the registry cannot read any more is removed too.
  if (!registry.removeServer(name)) throw unknownServer(name, namesOf(registry.allServers()));
  await ports.withdraw(name);
  await rm(paths.packageOf(name), { recursive: true, force: true });
  await secrets.remove(name);
  await ports.forgetLogin(name);
  if (!purge) return;
  await rm(paths.dataOf(name), { recursive: true, force: true });
  await ports.dropLog(name);
}

/** What comes from a file is changed there, as long as the file is there. @throws McpdError MANAGED_BY_FILE */
export async function checkNotDeclared(definition: ServerDefinition | null): Promise<void> {
  if (definition?.source.kind !== 'file') return;
  const { ref } = definition.source;
  try {
    await stat(ref);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return;
  }
  throw new McpdError('MANAGED_BY_FILE', {
    what: `${definition.name} is declared in ${ref}`,
    fix: `change it in that file, then: mcpd apply -f ${ref}`,
  });
}

/**
 * Removes what killed installs and replaced versions left in `packages`: unfinished downloads, and versions that no launch refers to,
 * neither of a server nor of what an update replaced. What was replaced is dropped KEPT_AFTER_PROOF_MS after the new one has proved itself.
 * Folders of servers that the registry does not know stay, for a registry that is brought back.
 */
export async function sweepPackages(
  ports: Pick<InstallPorts, 'paths' | 'registry' | 'now' | 'packages'>,
): Promise<void> {
  const { paths, registry, now, packages } = ports;
  for (const source of Object.values(packages)) await source.sweep?.();
  const kept = registry.kept.all();
  for (const [name, { provedAt }] of kept)
    if (provedAt !== null && now() - provedAt > KEPT_AFTER_PROOF_MS) {
      registry.kept.drop(name);
      kept.delete(name);
    }
  for (const name of await namesIn(paths.packages)) {
    // No server is called so: what is being read of a bundle lies there.
    if (name.startsWith('.')) continue;
    const definition = registry.server(name);
    for (const version of await namesIn(join(paths.packages, name))) {
      const folder = join(paths.packages, name, version);
      const unfinished = version.startsWith('.fetching-') || (await exists(join(folder, UNFINISHED)));
      const isKept = isUsed(kept.get(name)?.definition ?? null, folder);
      if (unfinished || (definition !== null && !isKept && !isUsed(definition, folder)))
        await rm(folder, { recursive: true, force: true });
    }
    if (definition === null) await removeEmpty(join(paths.packages, name));
  }
}

/** Whether a launch starts something inside `folder`. */
function isUsed(definition: ServerDefinition | null, folder: string): boolean {
  if (definition === null || definition.launch.kind === 'http') return false;
  const { command, args } = definition.launch;
  return [command, ...args].some((word) => word.startsWith(`${folder}/`) || word.startsWith(`${folder}\\`));
}

// — internal —

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const errno = errnoOf(error);
    if (errno === 'ENOENT' || errno === 'ENOTDIR') return [];
    throw error;
  }
}

function namesOf(definitions: readonly ServerDefinition[]): string[] {
  return definitions.map(({ name }) => name);
}
