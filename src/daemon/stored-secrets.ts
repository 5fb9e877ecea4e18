import type { SecretChange, SecretInfo, SecretRequest } from '../api/contract/credentials.ts';
import { didYouMean } from '../closest.ts';
import type { Launch, ServerDefinition, ServerName } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { checkNoNul } from '../install/variables.ts';
import { secretsIn } from '../secret-references.ts';
import { isServerName } from '../server-names.ts';
import { unknownServer } from '../unknown-server.ts';
import type { Parts } from './parts.ts';
import { isUpOrDown } from './settled.ts';
import { shown } from './views.ts';

/** Secrets as people see and change them (`mcpd secret`): names only, whatever is asked. */

interface Kept {
  /** Servers that have secrets. */
  servers(): string[];
  names(server: string): string[];
}

/**
 * Every secret that is kept or needed, by server. `isThere` tells of servers that are registered and cannot be read: what such a one
 * needs cannot be known, and its secrets are taken for used. Pure.
 */
export function secretRows(
  definitions: readonly ServerDefinition[],
  kept: Kept,
  isThere: (server: ServerName) => boolean,
): SecretInfo[] {
  const needed = new Map(definitions.map(({ name, launch }) => [name, secretNamesIn(launch)]));
  // Not what is kept under names that no server can have: logins at remote servers are there.
  const servers = new Set([...needed.keys(), ...kept.servers().filter(isServerName)]);
  return [...servers].sort().flatMap((server) => {
    const names = kept.names(server);
    const wanted = needed.get(server);
    const stateOf = (name: string): SecretInfo['state'] => {
      if (wanted === undefined) return isThere(server) ? 'used' : 'orphaned';
      if (!wanted.includes(name)) return 'unused';
      return names.includes(name) ? 'used' : 'missing';
    };
    const all = new Set([...names, ...(wanted ?? [])]);
    return [...all].sort().map((name) => ({ server, name, state: stateOf(name) }));
  });
}

/**
 * Keeps a value that the server's launch refers to, and restarts the server if it runs or has failed.
 * @throws McpdError SERVER_UNKNOWN, SECRET_UNKNOWN, INPUT_INVALID, NAME_TAKEN while something else is at work on it, SECRETS_DAMAGED
 */
export async function setSecret(parts: Parts, server: string, { name, value }: SecretRequest): Promise<SecretChange> {
  const { registry, gateway, runtime, secrets, waits, now } = parts;
  const definition = registry.server(server);
  const before = gateway.status(server);
  if (definition === null || before === null) throw unknownServer(server, namesOf(registry.allServers()));
  const wanted = secretNamesIn(definition.launch);
  if (!wanted.includes(name)) throw notWanted(server, name, wanted);
  checkNoNul(value, `the value of ${name}`);
  await secrets.ready();
  const installer = await parts.installs.installer();
  await installer.keepSecret(server, name, value);
  // With another value the header may be accepted; the next request finds out.
  const wasRefused = gateway.view.servers.get(server)?.locked?.because === 'header-refused';
  if (wasRefused) runtime.post({ type: 'server-locked', at: now(), server, lock: null });
  const restarted = before.enabled && before.state !== 'stopped' && before.state !== 'stopping';
  if (!restarted) return { server: shown(gateway.status(server) ?? before, parts.masks), restarted };
  runtime.post({ type: 'command', at: now(), server, command: 'restart' });
  const status = await waits.until(server, isUpOrDown);
  if (status === null) throw new McpdError('SERVER_UNKNOWN', { what: `${server} was uninstalled meanwhile` });
  return { server: shown(status, parts.masks), restarted };
}

/**
 * Forgets one secret, or all (null) of a server that is not there. Returns their names.
 * @throws McpdError SERVER_UNKNOWN, SECRET_UNKNOWN, REQUEST_INVALID, NAME_TAKEN while something else is at work on it, SECRETS_DAMAGED
 */
export async function removeSecrets(parts: Parts, server: string, name: string | null): Promise<string[]> {
  const { registry, secrets } = parts;
  await secrets.ready();
  if (secrets.damage !== null) throw secrets.damage;
  const isThere = registry.has(server);
  const kept = secrets.names(server);
  if (!isThere && kept.length === 0) throw unknownServer(server, namesOf(registry.allServers()));
  if (name === null && isThere) {
    throw new McpdError('REQUEST_INVALID', {
      what: `${server} is installed, so its secrets are removed one by one`,
      fix: `mcpd secret list ${server}`,
    });
  }
  if (name !== null && !kept.includes(name)) throw notKept(server, name, kept);
  const removed = name === null ? kept : [name];
  const installer = await parts.installs.installer();
  await installer.dropSecrets(server, removed);
  return removed;
}

// — internal —

function secretNamesIn(launch: Launch): string[] {
  const texts = launch.kind === 'http' ? Object.values(launch.headers) : [...launch.args, ...Object.values(launch.env)];
  return [...new Set(texts.flatMap(secretsIn))];
}

function namesOf(definitions: readonly ServerDefinition[]): string[] {
  return definitions.map(({ name }) => name);
}

function notWanted(server: string, name: string, wanted: readonly string[]): McpdError {
  const known = wanted.length === 0 ? 'it needs none' : `it needs ${wanted.join(', ')}`;
  return new McpdError('SECRET_UNKNOWN', {
    what: `${server} needs no secret ${name}`,
    why: didYouMean(name, wanted) ?? known,
    fix: `mcpd secret list ${server}; to give it a further variable, install it again with --env ${name}`,
  });
}

function notKept(server: string, name: string, kept: readonly string[]): McpdError {
  const hint = didYouMean(name, kept);
  return new McpdError('SECRET_UNKNOWN', {
    what: `no secret ${name} is kept for ${server}`,
    ...(hint === undefined ? {} : { why: hint }),
    fix: `mcpd secret list ${server}`,
  });
}
