import { featuresOf, LEGACY_REVISIONS, MODERN_REVISION, NEWEST_LEGACY, SERVED_REVISIONS } from './revisions.ts';
import { TASKS_EXTENSION } from './tasks.ts';

/** How both eras begin, on both sides: texts that mcpd sends, and what it reads from the answers. */

export interface Identity {
  name: string;
  title: string;
  version: string;
}

/**
 * What mcpd can serve over its lifetime: a legacy host cannot be told of new capabilities later, so all are declared at once.
 */
const CAPABILITIES_TO_HOSTS = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
};

/** Tasks of 2025-11-25, and of the extension that came after them. */
const TASKS_TO_HOSTS = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
const OWN_EXTENSIONS = { [TASKS_EXTENSION]: {} };

/** What of a handshake depends on the servers that a host can reach. */
export interface Reachable {
  instructions: string | null;
  /** Those that some server declares: hosts of MCP Apps and of skills look for them. */
  extensions: Readonly<Record<string, unknown>>;
}

/** JSON text of the result of `initialize`. */
export function initializeResult(
  identity: Identity,
  revision: string,
  { instructions, extensions }: Reachable,
): string {
  return JSON.stringify({
    protocolVersion: revision,
    capabilities: {
      ...CAPABILITIES_TO_HOSTS,
      logging: {},
      ...(featuresOf(revision).tasks ? { tasks: TASKS_TO_HOSTS } : {}),
      ...(Object.keys(extensions).length === 0 ? {} : { extensions }),
    },
    serverInfo: identity,
    ...(instructions === null ? {} : { instructions }),
  });
}

/** JSON text of the result of `server/discover`. */
export function discoverResult(identity: Identity, { instructions, extensions }: Reachable, ttlMs: number): string {
  return JSON.stringify({
    resultType: 'complete',
    supportedVersions: SERVED_REVISIONS,
    capabilities: { ...CAPABILITIES_TO_HOSTS, extensions: { ...extensions, ...OWN_EXTENSIONS } },
    ...(instructions === null ? {} : { instructions }),
    ttlMs,
    cacheScope: 'private',
    _meta: { 'io.modelcontextprotocol/serverInfo': identity },
  });
}

/** JSON text of the params of `initialize` towards a server. `capabilities` is raw JSON: what the hosts behind it can be asked. */
export function initializeParams(identity: Identity, capabilities: string): string {
  return `{"protocolVersion":"${NEWEST_LEGACY}","capabilities":${capabilities},"clientInfo":${JSON.stringify(identity)}}`;
}

/**
 * JSON text of the `_meta` that every modern request carries. `clientInfo` and `capabilities` are raw JSON: the host's own where there
 * is one.
 */
export function modernMeta(clientInfo: string, capabilities: string, logLevel: string | null): string {
  const level = logLevel === null ? '' : `,"io.modelcontextprotocol/logLevel":${JSON.stringify(logLevel)}`;
  return `{"io.modelcontextprotocol/protocolVersion":"${MODERN_REVISION}","io.modelcontextprotocol/clientInfo":${clientInfo},"io.modelcontextprotocol/clientCapabilities":${capabilities}${level}}`;
}

/** What a server said of itself in either handshake. */
export interface ServerGreeting {
  protocolVersion: string;
  /** Raw JSON. */
  serverInfo: string;
  capabilities: Record<string, unknown>;
  instructions: string | null;
}

/** The greeting in a result of `initialize`, or the reason why it is none. */
export function readInitializeResult(result: unknown): ServerGreeting | string {
  if (!isObject(result)) return 'its answer to initialize is not an object';
  const revision = result['protocolVersion'];
  if (typeof revision !== 'string') return 'its answer to initialize names no protocolVersion';
  if (!LEGACY_REVISIONS.some((known) => known === revision))
    return `it speaks protocol revision ${JSON.stringify(revision)}, which mcpd does not know`;
  return greeting(result, revision, result['serverInfo']);
}

/** The greeting in a result of `server/discover`, or the reason why it is none. */
export function readDiscoverResult(result: unknown): ServerGreeting | string {
  if (!isObject(result) || !Array.isArray(result['supportedVersions']))
    return 'its answer to server/discover names no supportedVersions';
  if (!result['supportedVersions'].includes(MODERN_REVISION))
    return `it serves only the revisions ${JSON.stringify(result['supportedVersions'])}`;
  const meta = result['_meta'];
  return greeting(result, MODERN_REVISION, isObject(meta) ? meta['io.modelcontextprotocol/serverInfo'] : undefined);
}

// — internal —

function greeting(result: Record<string, unknown>, protocolVersion: string, serverInfo: unknown): ServerGreeting {
  const { capabilities, instructions } = result;
  return {
    protocolVersion,
    serverInfo: isObject(serverInfo) ? JSON.stringify(serverInfo) : '{}',
    capabilities: isObject(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' && instructions !== '' ? instructions : null,
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
