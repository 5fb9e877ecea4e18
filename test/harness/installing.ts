import { type ChildProcess, spawn } from 'node:child_process';
import { accessSync, appendFileSync, constants, existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';
import { createInterface } from 'node:readline';
import { type CatalogEntry, loadCatalog } from '../../registry/catalog.ts';
import { openRegistry, type Registry } from '../../registry/registry.ts';
import type { CommandRequest, InstallEvent, InstallRequest, ServerStatus } from '../../src/api/contract.ts';
import type { TrialOutcome } from '../../src/core/events.ts';
import type { ServerDefinition, ServerMemory } from '../../src/core/model.ts';
import { bundlesIn } from '../../src/install/bundle/bundles.ts';
import { Installer } from '../../src/install/install.ts';
import { packageSources } from '../../src/install/packages/kinds.ts';
import type { CommandFinding } from '../../src/install/ports.ts';
import { placed } from '../../src/own-places.ts';
import { type Paths, pathsOf } from '../../src/paths.ts';
import { proxiesOf } from '../../src/proxy.ts';
import { fetchThrough } from '../../src/proxy-fetch.ts';
import { loginSpace, openSecrets, type Secrets } from '../../src/secrets.ts';
import type { TemporaryHome } from './home.ts';
import { inFiles } from './secrets.ts';

/** An Installer over a real registry, real secrets, real npm and real processes, without the daemon round it. */
export interface Installation {
  installer: Installer;
  registry: Registry;
  secrets: Secrets;
  paths: Paths;
  /** Names that the core was told of, and of whose end. */
  announced: string[];
  withdrawn: string[];
  /** Aborted when the daemon ends. */
  ending: AbortController;
  install(request: InstallRequest, signal?: AbortSignal): Promise<InstallEvent[]>;
  add(request: Partial<CommandRequest> & { name: string; command: string }): Promise<InstallEvent[]>;
}

export interface InstallationOptions {
  /** More variables for npm. */
  npmEnv?: NodeJS.ProcessEnv;
  catalog?: readonly CatalogEntry[];
  now?: () => number;
  /** Called round each write of a server into the registry. */
  onSave?: (moment: 'before' | 'after') => void;
  /** The PATH on which a bundle's runtime is looked for; this process's own where none is given. */
  path?: string;
  /** Proxies for bundles. */
  bundleEnv?: NodeJS.ProcessEnv;
  /** A folder of programs that are found before all others: by what fetches, and by servers. */
  programs?: string;
  /** Told of each process group that fetches, as the daemon's guardian is. */
  track?: (pid: number) => () => void;
}

export async function installationIn(home: TemporaryHome, options: InstallationOptions = {}): Promise<Installation> {
  const paths = pathsOf(home.mcpdHome);
  const registry = openRegistry(paths);
  const secrets = await openSecrets(paths, inFiles());
  const pathNow = () =>
    [...(options.programs === undefined ? [] : [options.programs]), process.env['PATH'] ?? ''].join(delimiter);
  const announced: string[] = [];
  const withdrawn: string[] = [];
  const ending = new AbortController();
  const installer = new Installer({
    paths,
    userHome: home.userHome,
    catalog: () => options.catalog ?? loadCatalog(),
    registry: savingWith(registry, options.onSave),
    secrets,
    packages: packageSources(
      {
        execPath: process.execPath,
        env: async () => ({
          ...home.env,
          ...(options.programs === undefined ? {} : { PATH: pathNow() }),
          npm_config_cache: home.folder('npm-cache'),
          ...options.npmEnv,
        }),
        track: options.track,
      },
      {
        bundles: bundlesIn(paths.packages, fetchThrough(proxiesOf(options.bundleEnv ?? {})), ending.signal),
        userHome: home.userHome,
        machine: {
          platform: process.platform,
          nodeVersion: process.versions.node,
          findCommand: async (command) => findCommand(command, home.userHome, options.path ?? pathNow()),
        },
      },
    ),
    published: async () => {
      throw new RangeError('no MCP registry is asked here');
    },
    findCommand: async (command, cwd) => findCommand(command, cwd, pathNow()),
    loginWanted: () => null,
    forgetLogin: (server) => secrets.remove(loginSpace(server)),
    trial: (definition, signal) => trial(definition, paths, secrets, pathNow(), signal),
    trialAside: (definition, signal) => trial(definition, paths, secrets, pathNow(), signal),
    announce: ({ name }) => announced.push(name),
    withdraw: async (name) => {
      withdrawn.push(name);
    },
    lockWritten: async () => undefined,
    present: (name) => ({ server: statusOf(registry, name), tools: [] }),
    dropLog: async (name) => rmSync(paths.logOf(name), { force: true }),
    ending: ending.signal,
    now: options.now ?? (() => Date.now()),
  });
  const gather = async (work: (report: (event: InstallEvent) => void) => Promise<void>) => {
    const events: InstallEvent[] = [];
    await work((event) => events.push(event));
    return events;
  };
  return {
    ...{ installer, registry, secrets, paths, announced, withdrawn, ending },
    install: (request, signal = new AbortController().signal) =>
      gather((report) => installer.install(request, report, signal)),
    add: ({ args = [], cwd = home.userHome, env = {}, trial: tried = true, ...rest }) =>
      gather((report) =>
        installer.add({ ...rest, args, cwd, env, trial: tried }, report, new AbortController().signal),
      ),
  };
}

/** The last event of an install that failed. */
export function failureOf(events: readonly InstallEvent[]): Extract<InstallEvent, { type: 'failed' }> {
  const last = events.at(-1);
  if (last?.type !== 'failed') throw new Error(`it did not fail: ${JSON.stringify(events, null, 1)}`);
  return last;
}

export function doneOf(events: readonly InstallEvent[]): Extract<InstallEvent, { type: 'done' }> {
  const last = events.at(-1);
  if (last?.type !== 'done') throw new Error(`it was not done: ${JSON.stringify(events, null, 1)}`);
  return last;
}

// — internal —

function savingWith(registry: Registry, onSave: InstallationOptions['onSave']): Registry {
  if (onSave === undefined) return registry;
  const during = <A extends unknown[]>(save: (...args: A) => void) => {
    return (...args: A) => {
      onSave('before');
      save(...args);
      onSave('after');
    };
  };
  const { saveServer, replaceServer } = registry;
  return { ...registry, saveServer: during(saveServer), replaceServer: during(replaceServer) };
}

function findCommand(command: string, cwd: string, path: string): CommandFinding {
  const folders = path.split(delimiter);
  const candidates = isAbsolute(command) ? [command] : folders.map((folder) => join(folder, command));
  const found = candidates.find((candidate) => existsSync(candidate));
  if (found === undefined) return { kind: 'missing', lookedIn: isAbsolute(command) ? [cwd] : folders };
  if (statSync(found).isDirectory()) return { kind: 'folder', path: found };
  try {
    accessSync(found, constants.X_OK);
    return { kind: 'found', path: found };
  } catch {
    return { kind: 'not-executable', path: found };
  }
}

/** Starts it, shakes hands, lists its tools, ends it. */
async function trial(
  definition: ServerDefinition,
  paths: Paths,
  secrets: Secrets,
  path: string,
  signal: AbortSignal,
): Promise<TrialOutcome> {
  const { name } = definition;
  if (definition.launch.kind === 'http') throw new RangeError('remote servers are not tried here');
  const launch = placed(definition.launch);
  const data = paths.dataOf(name);
  mkdirSync(data, { recursive: true });
  rmSync(join(data, 'container'), { force: true }); // each start has a file of its own
  mkdirSync(paths.logs, { recursive: true });
  appendFileSync(paths.logOf(name), 'trial\n');
  const fill = (text: string) =>
    text
      .replaceAll(/\$\{secret:(\w+)\}/g, (_, secret: string) => secrets.get(name, secret) ?? '')
      .replaceAll(`\${dataDir}`, data)
      .replaceAll(`\${cidFile}`, join(data, 'container'));
  const env = Object.fromEntries(Object.entries(launch.env).map(([key, value]) => [key, fill(value)]));
  const child = spawn(launch.command, launch.args.map(fill), {
    cwd: launch.cwd ?? data,
    env: { PATH: path, ...env },
    stdio: 'pipe',
  });
  const end = () => child.kill('SIGKILL');
  signal.addEventListener('abort', end);
  try {
    return await shakeHands(child, definition);
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

function shakeHands(child: ChildProcess, { fingerprint }: ServerDefinition): Promise<TrialOutcome> {
  const began = performance.now();
  let stderr = '';
  let greeting: Record<string, unknown> = {};
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin?.on('error', () => undefined); // it left before it was greeted: its exit says why
  const send = (message: object) => child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  send({
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'trial', version: '1' } },
  });
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, killed) => {
      const stderrTail = stderr.trim() === '' ? [] : stderr.trim().split('\n');
      const cause = killed === null ? `exit code ${code}` : `signal ${killed}`;
      const exit = { at: Date.now(), uptimeMs: performance.now() - began, code, signal: killed, cause, stderrTail };
      resolve({ ok: false, step: 'handshake', reason: cause, exit });
    });
    createInterface({ input: child.stdout ?? process.stdin }).on('line', (line) => {
      const message = JSON.parse(line) as { id: number; result: Record<string, unknown> };
      if (message.id === 1) {
        greeting = message.result;
        send({ method: 'notifications/initialized' });
        send({ id: 2, method: 'tools/list', params: {} });
        return;
      }
      if (message.id !== 2) return; // a notice
      const tools = (message.result['tools'] as object[]).map((tool) => JSON.stringify(tool));
      const memory: ServerMemory = {
        fingerprint,
        era: 'legacy',
        protocolVersion: String(greeting['protocolVersion']),
        serverInfo: JSON.stringify(greeting['serverInfo']),
        capabilities: JSON.stringify(greeting['capabilities']),
        instructions: null,
        variants: [],
        callsBack: false,
        lists: [{ kind: 'tools', entries: tools, findings: [] }],
      };
      resolve({ ok: true, memory, findings: [], durationMs: performance.now() - began });
    });
  });
}

function statusOf(registry: Registry, name: string): ServerStatus {
  const definition = registry.server(name);
  if (definition === null) throw new Error(`${name} was announced and is not registered`);
  const memory = registry.memoryOf(name, definition.fingerprint);
  const tools = memory?.lists.find(({ kind }) => kind === 'tools')?.entries.length ?? 0;
  return {
    ...definition,
    wanted: 'down',
    wantedReason: null,
    state: 'stopped',
    reason: null,
    fix: null,
    health: 'unknown',
    findings: [],
    since: 0,
    pid: null,
    instances: [],
    era: memory?.era ?? null,
    protocolVersion: memory?.protocolVersion ?? null,
    openCalls: 0,
    calls: 0,
    errors: 0,
    starts: 0,
    lastExit: null,
    nextStartAt: null,
    counts: { tools, prompts: 0, resources: 0, templates: 0 },
    listed: memory !== null,
  };
}
