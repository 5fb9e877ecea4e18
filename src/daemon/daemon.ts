import { createHash, randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { createHistory } from '../../registry/history.ts';
import { openRegistry } from '../../registry/registry.ts';
import type { DaemonStatus } from '../api/contract.ts';
import { createApi } from '../api/listen.ts';
import { keptToken } from '../api/token.ts';
import { closest } from '../closest.ts';
import type { GatewayEvent } from '../core/events.ts';
import { Gateway } from '../core/gateway.ts';
import { asMcpdError } from '../errors.ts';
import { createHostSocket } from '../hosts/socket.ts';
import { REAP_DELAY_MS, START_SLOTS_MIN } from '../limits.ts';
import { packageRoot } from '../package-root.ts';
import { type Paths, portOf } from '../paths.ts';
import { openSecrets } from '../secrets.ts';
import { createServerProcesses } from '../servers/server-processes.ts';
import { VERSION } from '../version.ts';
import { Control } from './control.ts';
import type { Parts } from './parts.ts';
import { Runtime } from './runtime.ts';
import { Trials } from './trials.ts';
import { ServerWaits } from './waiting.ts';
import { Watching } from './watching.ts';

export interface Daemon {
  /** Begins the orderly end; `at once` skips the drain. Later calls only hurry it. */
  stop(atOnce: boolean): void;
  /** Resolves when everything has ended and all files are closed; tells whether a person asked for it. */
  ended: Promise<{ onPurpose: boolean }>;
  /** What it is doing, for SIGQUIT: no secrets, no arguments, no results. */
  dump(): string;
  /** Forgets what can be read again from the disk. */
  reload(): void;
}

/**
 * Wires all parts and listens. The caller holds the lock and has changed into the home.
 * @throws {McpdError} REGISTRY_DAMAGED, REGISTRY_NEWER, HOME_UNWRITABLE, DISK_FULL, OUT_OF_FILES
 */
export async function startDaemon(paths: Paths, engine: DaemonStatus['engine'], warnings: string[]): Promise<Daemon> {
  const startedAt = Date.now();
  const now = () => performance.now();
  const generation = randomBytes(6).toString('hex');
  const registry = openRegistry(paths);
  const secrets = await openSecrets(paths.secrets);
  const history = createHistory({ path: paths.history, worker: join(packageRoot(), 'dist', 'history-worker.js') });
  const identity = { name: 'mcpd', title: 'mcpd', version: VERSION };
  const gateway = new Gateway(
    {
      identity,
      startSlots: Math.max(START_SLOTS_MIN, 2 * availableParallelism()),
      random: Math.random,
      digest: (bytes) => createHash('sha256').update(bytes).digest('hex'),
      closest,
      epochMs: Date.now() - performance.now(),
    },
    registry.allNames(),
  );
  const report = (event: GatewayEvent) => runtime.post(event);
  const processes = createServerProcesses({
    paths,
    nonce: generation,
    ledger: registry.ledger,
    report,
    now,
    secretsOf: (server) => secrets.mapOf(server),
    inherited: process.env,
  });
  let sessionCount = 0;
  const hosts = createHostSocket({
    socketName: paths.hostSocket,
    sessionId: () => `s${++sessionCount}`,
    version: VERSION,
    generation,
    report,
    now,
  });
  const trials = new Trials();
  const waits = new ServerWaits(gateway);
  let storageWarning: string | null = null;
  let stage: DaemonStatus['state'] = 'running';
  let allStopped: () => void = () => undefined;
  const stopped = new Promise<void>((resolve) => {
    allStopped = resolve;
  });

  const runtime = new Runtime(gateway, {
    now,
    hosts,
    servers: {
      spawn: (instance, number, definition) =>
        processes.spawn({ type: 'spawn', instance, generation: number, definition }),
      write: (instance, number, bytes) => processes.write(instance, number, bytes),
      stop: (instance, number, kill) => processes.stop(instance, number, kill),
    },
    registry,
    history,
    log: (server, level, text) => processes.log(server).lifecycle(level, text),
    publish: (topic, name) => {
      if (topic === 'server') waits.changed(name);
      control.published(topic, name);
    },
    trialFinished: (trial, outcome) => trials.finished(trial, outcome),
    allStopped: () => allStopped(),
    storageFailed: (thrown) => {
      storageWarning = asMcpdError(thrown, 'REGISTRY_DAMAGED', 'the registry could not be written').message;
    },
  });

  const parts: Parts = {
    paths,
    gateway,
    runtime,
    registry,
    history,
    secrets,
    processes,
    waits,
    watching: new Watching(() => parts),
    now,
    announce: (definition, memory) => {
      runtime.post({ type: 'server-defined', at: now(), definition, memory });
      parts.watching.follow(registry.allServers());
    },
    status: () => ({
      pid: process.pid,
      version: VERSION,
      home: paths.home,
      port: api.port(),
      startedAt,
      state: stage,
      engine,
      node: process.version,
      servers: gateway.view.servers.size,
      sessions: gateway.view.sessions.size,
      calls: gateway.view.totals.calls,
      warnings: [
        ...warnings,
        ...registry.findings(),
        ...history.findings(),
        ...processes.findings(),
        ...api.warnings(),
        ...parts.watching.findings(),
        ...(secrets.damage === null ? [] : [secrets.damage.message]),
        ...(storageWarning === null ? [] : [storageWarning]),
      ],
    }),
    installing: () => {
      installing ??= import('./installing.ts').then(({ Installing }) => new Installing(parts, trials));
      return installing;
    },
    stop: (atOnce) => {
      onPurpose = true;
      stop(atOnce);
    },
  };
  let onPurpose = false;
  let installing: ReturnType<Parts['installing']> | null = null;
  const control = new Control(parts);
  const api = createApi({
    control,
    home: paths.home,
    socket: paths.apiSocket,
    token: keptToken(paths.token),
    port: portOf(paths.home),
    assets: join(packageRoot(), 'dist', 'dashboard'),
  });

  const stop = (atOnce: boolean) => {
    if (stage === 'running') {
      stage = 'stopping';
      hosts.drain('stopping');
    }
    runtime.post({ type: 'shutdown', at: now(), now: atOnce });
  };

  const memories = registry.allMemories();
  const listening = hosts.listen();
  void processes.reap(REAP_DELAY_MS);
  for (const definition of registry.allServers()) {
    runtime.post({ type: 'server-defined', at: now(), definition, memory: memories.get(definition.name) ?? null });
  }
  parts.watching.follow(registry.allServers());
  await listening;
  await api.listen();
  writeFileSync(paths.daemonInfo, `${JSON.stringify({ pid: process.pid, version: VERSION, port: api.port() })}\n`, {
    mode: 0o600,
  });

  const ended = stopped.then(async () => {
    await hosts.stop();
    runtime.dispose();
    await parts.watching.close();
    await processes.dispose();
    await history.close();
    await api.close();
    registry.close();
    rmSync(paths.daemonInfo, { force: true });
    return { onPurpose };
  });
  return {
    stop,
    ended,
    dump: () =>
      JSON.stringify({ status: parts.status(), servers: gateway.statuses(), sessions: gateway.sessions() }, null, 2),
    reload: () => processes.prepare(),
  };
}
