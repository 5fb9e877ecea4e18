import type { ServerCommand, ServerInfo, ServerPatch } from '../api/contract.ts';
import type { Gateway } from '../core/gateway.ts';
import type { ServerStatus } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { unknownServer } from '../unknown-server.ts';
import type { Parts } from './parts.ts';
import { isAtRest, isUpOrDown } from './settled.ts';
import { startFailure } from './start-failure.ts';
import { listsOf, shown } from './views.ts';

/** One server as a person looks at it and handles it: each change resolves when the server is where it should be. */

/** Transitions shown of one server. */
const TRANSITIONS_SHOWN = 50;

/** @throws McpdError SERVER_UNKNOWN with the closest names */
export function knownServer(gateway: Gateway, name: string): ServerStatus {
  const status = gateway.status(name);
  if (status !== null) return status;
  throw unknownServer(name, [...gateway.view.servers.keys()]);
}

/** @throws McpdError SERVER_UNKNOWN */
export async function serverInfo(parts: Parts, name: string): Promise<ServerInfo> {
  const { gateway, masks, paths, secrets, history, logins } = parts;
  const status = knownServer(gateway, name);
  const known = gateway.view.servers.get(name);
  const { transitions, daemons } = await history.timeline(name, TRANSITIONS_SHOWN);
  return {
    ...shown(status, masks),
    instructions: masks.of(name)(known?.memory?.instructions ?? '') || null,
    serverInfo: JSON.parse(known?.memory?.serverInfo ?? 'null'),
    capabilities: JSON.parse(known?.memory?.capabilities ?? 'null'),
    lists: listsOf(gateway, name),
    exits: gateway.view.instances.get(name)?.exits ?? [],
    transitions,
    daemons,
    countedSince: parts.status().startedAt,
    logFile: paths.logOf(name),
    secrets: secrets.names(name),
    ...logins.info(name),
  };
}

/** @throws McpdError SERVER_UNKNOWN, INPUT_INVALID, SERVER_BUSY */
export async function patchServer(parts: Parts, name: string, patch: ServerPatch): Promise<ServerStatus> {
  const { gateway, registry, waits } = parts;
  knownServer(gateway, name);
  await (await import('../install/uninstall.ts')).checkNotDeclared(registry.server(name));
  const definition = registry.patch(name, patch);
  const memory = registry.memoryOf(name, definition.fingerprint);
  parts.announce(definition, memory);
  // A disabled server is gone when the answer comes: nobody should find its process still there.
  const settled = patch.enabled === false ? await waits.until(name, isAtRest) : null;
  return settled ?? knownServer(gateway, name);
}

/** @throws McpdError SERVER_UNKNOWN, SERVER_DISABLED, SERVER_BUSY, and why it did not start */
export async function commandServer(parts: Parts, name: string, command: ServerCommand): Promise<ServerStatus> {
  const { gateway, runtime, now, waits } = parts;
  const before = knownServer(gateway, name);
  if (command !== 'stop' && !before.enabled) {
    throw new McpdError('SERVER_DISABLED', { what: `${name} is disabled`, fix: `mcpd enable ${name}` });
  }
  runtime.post({ type: 'command', at: now(), server: name, command });
  const status = await waits.until(name, command === 'stop' ? isAtRest : isUpOrDown);
  if (status === null) throw new McpdError('SERVER_UNKNOWN', { what: `${name} was uninstalled meanwhile` });
  if (command === 'stop' || status.state === 'running') return status;
  throw startFailure(status);
}
