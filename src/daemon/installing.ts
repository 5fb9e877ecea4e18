import { mkdtemp, rm } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadCatalog, searchCatalog } from '../../registry/catalog.ts';
import type { CatalogHit } from '../api/contract.ts';
import type { ServerName } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { bundlesIn } from '../install/bundle/bundles.ts';
import { Installer } from '../install/install.ts';
import { packageSources } from '../install/packages/kinds.ts';
import { trialError } from '../install/trial-failure.ts';
import { proxiesOf } from '../proxy.ts';
import { fetchThrough } from '../proxy-fetch.ts';
import { launchWithDataIn } from '../recorder/replay-launch.ts';
import type { Parts } from './parts.ts';
import { DaemonRegistries } from './registries.ts';
import { catalogHit, installedNames } from './search-hits.ts';
import type { Trials } from './trials.ts';
import { shown, toolsOf } from './views.ts';

/** What installing needs of the other parts, put together. This module is loaded with the first install. */
export class Installing {
  readonly installer: Installer;
  readonly registries: DaemonRegistries;
  readonly #parts: Parts;
  readonly #trials: Trials;

  constructor(parts: Parts, trials: Trials) {
    this.#parts = parts;
    const { registry, secrets, processes, gateway, runtime, now, waits, paths, logins } = parts;
    this.#trials = trials;
    this.registries = new DaemonRegistries(parts);
    this.installer = new Installer({
      paths,
      userHome: homedir(),
      catalog: loadCatalog,
      registry,
      secrets,
      packages: packageSources(
        {
          execPath: process.execPath,
          env: () => processes.ownEnvironment(),
          track: (pid) => processes.guard(pid),
        },
        {
          bundles: bundlesIn(paths.packages, fetchThrough(proxiesOf(process.env)), parts.ending),
          userHome: homedir(),
          machine: {
            platform: process.platform,
            nodeVersion: process.versions.node,
            findCommand: (command) => processes.findCommand(command, homedir()),
          },
        },
      ),
      published: (name, version, signal) => this.registries.published(name, version, signal),
      findCommand: (command, cwd) => processes.findCommand(command, cwd),
      trial: (definition, signal) => {
        // Not what a server of that name met earlier.
        logins.remote.forgetRefusals(definition.name);
        return trials.run(parts, definition, signal);
      },
      trialAside: async (definition, signal) => {
        const dataDir = await mkdtemp(join(tmpdir(), 'mcpd-trial-'));
        try {
          return await trials.run(
            parts,
            { ...definition, launch: launchWithDataIn(definition.launch, dataDir) },
            signal,
          );
        } finally {
          await rm(dataDir, { recursive: true, force: true });
        }
      },
      loginWanted: ({ name, launch }) => (launch.kind === 'http' ? logins.remote.refusal(name, launch.url) : null),
      forgetLogin: (server) => logins.remote.forget(server),
      announce: (definition, memory) => {
        parts.announce(definition, memory);
        logins.announced(definition);
      },
      withdraw: async (server) => {
        runtime.post({ type: 'server-removed', at: now(), server });
        parts.watching.follow(registry.allServers());
        await waits.gone(server);
      },
      present: (name) => {
        const server = gateway.status(name);
        if (server === null) throw new McpdError('SERVER_UNKNOWN', { what: `${name} was uninstalled meanwhile` });
        return { server: shown(server, parts.masks), tools: toolsOf(gateway, name) };
      },
      lockWritten: () => parts.agreements.look(),
      dropLog: (server) => processes.deleteLog(server),
      ending: parts.ending,
      now: () => Date.now(),
    });
  }

  /**
   * Tries an installed server once more, for its lists; whatever runs of it goes on.
   * @throws {McpdError} SERVER_START_FAILED, SERVER_START_TIMEOUT, LIST_FAILED, COMMAND_NOT_FOUND, INSTALL_CANCELLED
   */
  async readAnew(server: ServerName, signal: AbortSignal): Promise<void> {
    const { registry, gateway, runtime, now } = this.#parts;
    const definition = registry.server(server);
    if (definition === null) throw new McpdError('SERVER_UNKNOWN', { what: `there is no server ${server}` });
    const outcome = await this.#trials.run(this.#parts, definition, AbortSignal.any([signal, this.#parts.ending]));
    if (!outcome.ok)
      throw trialError(outcome, { name: server, scriptsLeftOut: [], withScripts: '', fix: `mcpd logs ${server}` });
    const known = gateway.view.servers.get(server);
    // It was changed or removed meanwhile: these lists are of the past.
    if (known === undefined || known.definition.fingerprint !== outcome.memory.fingerprint) return;
    const memory = { ...outcome.memory, callsBack: known.callsBackSince !== null };
    registry.saveMemory(server, memory);
    this.#parts.agreements.lookSoon();
    runtime.post({ type: 'server-defined', at: now(), definition: known.definition, memory });
  }

  catalog(query: string): CatalogHit[] {
    const installed = installedNames(this.#parts.registry.allServers().map(({ source }) => source));
    return searchCatalog(query).map((entry) => catalogHit(entry, installed));
  }
}
