import {
  type AskedFor,
  DEFAULT_LIMITS,
  type GivenToBundle,
  HTTP_TRANSPORTS,
  type HttpLaunch,
  type InstalledPackage,
  type Launch,
  PACKAGE_KINDS,
  type ServerDefinition,
  type ServerLimits,
  type ServerSource,
  SHARINGS,
  type StartMode,
  type StdioLaunch,
} from '../src/core/model.ts';
import { isServerName } from '../src/server-names.ts';

/** A row of the table `servers`: `launch`, `limits` and `source` are JSON. */
export interface ServerRow {
  name: string;
  description: string;
  launch: string;
  start: string;
  sharing: string;
  enabled: number;
  limits: string;
  source: string;
  fingerprint: string;
  addedAt: number;
}

export type Reading = { definition: ServerDefinition } | { finding: string };

export const LIMIT_KEYS = [
  'startTimeoutMs',
  'callTimeoutMs',
  'idleStopMs',
  'lineBytesMax',
  'memorySoftBytes',
  'memoryHardBytes',
] as const;

export function rowOf(definition: ServerDefinition): ServerRow {
  const { launch, limits, source, enabled, ...plain } = definition;
  return {
    ...plain,
    enabled: enabled ? 1 : 0,
    launch: JSON.stringify(launch),
    limits: JSON.stringify(limits),
    source: JSON.stringify(source),
  };
}

/**
 * The definition in a row, or a sentence that says why there is none. Checked by hand: a schema library costs 8 ms at each start of
 * the daemon, this 0.3 ms for 50 servers.
 */
export function readRow(row: ServerRow): Reading {
  const launch = launchOf(json(row.launch));
  const limits = limitsOf(json(row.limits));
  const source = sourceOf(json(row.source));
  const start = START_MODES.find((mode) => mode === row.start);
  const sharing = SHARINGS.find((mode) => mode === row.sharing);
  if (!isServerName(row.name)) return unreadable(row, 'name');
  if (launch === null) return unreadable(row, 'launch');
  if (limits === null) return unreadable(row, 'limits');
  if (source === null) return unreadable(row, 'source');
  if (start === undefined) return unreadable(row, 'start');
  if (sharing === undefined) return unreadable(row, 'sharing');
  if (!FINGERPRINT.test(row.fingerprint)) return unreadable(row, 'fingerprint');
  const { name, description, fingerprint, addedAt } = row;
  return {
    definition: {
      name,
      description,
      launch,
      start,
      sharing,
      enabled: row.enabled !== 0,
      limits,
      source,
      fingerprint,
      addedAt,
    },
  };
}

// — internal —

const START_MODES: readonly StartMode[] = ['on-demand', 'always', 'manual'];
const FINGERPRINT = /^[0-9a-f]{64}$/;

function unreadable(row: ServerRow, column: keyof ServerRow): Reading {
  return {
    finding: `the registry's entry "${row.name}" is left out, since its ${column} cannot be read; install it again, or remove it: mcpd uninstall ${row.name}`,
  };
}

/** Undefined when the text is no JSON: then no check below accepts it. */
function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Reported by the check of the column, which names it.
    return undefined;
  }
}

type Members = Record<string, unknown>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

/** A row of the first release has no `kind`: it starts a process. */
function launchOf(value: unknown): Launch | null {
  if (!isMembers(value)) return null;
  return value['kind'] === 'http' ? remoteOf(value) : processOf(value);
}

function remoteOf({ url, transport, headers }: Members): HttpLaunch | null {
  const known = HTTP_TRANSPORTS.find((one) => one === transport);
  if (!isText(url) || !URL.canParse(url) || known === undefined || !isTextMap(headers)) return null;
  return { kind: 'http', url, transport: known, headers };
}

function processOf(value: Members): StdioLaunch | null {
  const { command, args, cwd, env } = value;
  if (!isText(command) || command === '' || !Array.isArray(args) || !args.every(isText)) return null;
  if ((cwd !== null && !isText(cwd)) || !isTextMap(env)) return null;
  return { kind: 'stdio', command, args, cwd, env };
}

function isTextMap(value: unknown): value is Record<string, string> {
  return isMembers(value) && Object.values(value).every(isText);
}

/** A limit that is absent (a row of an older release) takes the default. */
function limitsOf(value: unknown): ServerLimits | null {
  if (!isMembers(value)) return null;
  const limits: ServerLimits = { ...DEFAULT_LIMITS };
  for (const key of LIMIT_KEYS) {
    const limit = value[key] ?? null;
    if (limit !== null && !(Number.isSafeInteger(limit) && Number(limit) > 0)) return null;
    limits[key] = limit === null ? null : Number(limit);
  }
  return limits;
}

function sourceOf(value: unknown): ServerSource | null {
  if (!isMembers(value) || !isText(value['ref'])) return null;
  const { kind, ref } = value;
  switch (kind) {
    case 'catalog':
    case 'registry':
    case 'document': {
      const installed = packageOf(value['package']);
      return value['package'] === null || installed !== null ? { kind, ref, package: installed } : null;
    }
    case 'npm':
    case 'pypi':
    case 'oci':
    case 'nuget':
    case 'mcpb':
    case 'git': {
      const installed = packageOf(value['package']);
      return installed === null ? null : { kind, ref, package: installed };
    }
    case 'folder':
    case 'command':
    case 'url':
      return { kind, ref };
    case 'file': {
      const installed = packageOf(value['package']);
      const digest = isText(value['digest']) ? { digest: value['digest'] } : {};
      const install = isText(value['install']) ? { install: value['install'] } : {};
      return { kind, ref, ...digest, ...install, ...(installed === null ? {} : { package: installed }) };
    }
    default:
      return null;
  }
}

/** A package without a kind is of npm: older releases knew no other. */
function packageOf(value: unknown): InstalledPackage | null {
  if (!isMembers(value)) return null;
  const { identifier, version, integrity } = value;
  const kind = PACKAGE_KINDS.find((one) => one === (value['kind'] ?? 'npm'));
  if (kind === undefined || !isText(identifier) || !isText(version) || !isText(integrity)) return null;
  const asked = askedOf(value['asked']);
  return { kind, identifier, version, integrity, ...(asked === null ? {} : { asked }) };
}

/** What older releases did not keep is absent. */
function askedOf(value: unknown): AskedFor | null {
  if (!isMembers(value)) return null;
  const { registry, runtimeArguments, reference, given } = value;
  return {
    ...(isText(registry) ? { registry } : {}),
    ...(isTexts(runtimeArguments) ? { runtimeArguments } : {}),
    ...(isText(reference) ? { reference } : {}),
    ...(isGiven(given) ? { given } : {}),
  };
}

function isGiven(value: unknown): value is GivenToBundle {
  if (!isMembers(value) || !isTexts(value['args']) || !isTextMap(value['env'])) return false;
  return value['cwd'] === null || isText(value['cwd']);
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every(isText);
}
