import type {
  ExposedName,
  ProcessLedger,
  ServerDefinition,
  ServerMemory,
  ServerName,
  Wish,
} from '../src/core/model.ts';
import type { Paths } from '../src/paths.ts';
import { unknownServer } from '../src/unknown-server.ts';
import { type ClientRow, clientTableOf } from './clients.ts';
import { durably, openDatabase } from './db.ts';
import { type KeptTable, type KeptVersion, keptTableOf } from './kept-versions.ts';
import { ledgerOf } from './ledger.ts';
import { memoryTableOf } from './memory.ts';
import { INIT } from './migrations/0001-init.ts';
import { SHARING } from './migrations/0002-sharing.ts';
import { SETTINGS } from './migrations/0003-settings.ts';
import { WISHES } from './migrations/0004-wishes.ts';
import { KEPT_VERSIONS } from './migrations/0005-kept-versions.ts';
import { nameTableOf } from './names.ts';
import { type DefinitionPatch, patched, serverTableOf } from './servers.ts';
import { settingTableOf } from './settings.ts';
import { sqliteFault } from './sqlite-fault.ts';
import { wishTableOf } from './wishes.ts';

/**
 * What is installed, and what is remembered of it: registry.db, the truth. Only the daemon opens it, so every call is synchronous
 * and nothing of it changes behind the caller. What a person did is on the disk when the call returns; what can be learnt again
 * (memories, names, ledger) survives SIGKILL, not a power cut.
 *
 * Every method may throw McpdError REGISTRY_DAMAGED, DISK_FULL or HOME_UNWRITABLE; the registry is then as before the call.
 */
export interface Registry {
  /** By name, without those that cannot be read: see `findings`. */
  allServers(): ServerDefinition[];
  /** Entries that the last `allServers` could not read, as sentences. They are kept, and cost the others nothing. Never throws. */
  findings(): readonly string[];
  server(name: ServerName): ServerDefinition | null;
  /** Also when its entry cannot be read. */
  has(name: ServerName): boolean;
  /** One transaction: the definition and, where a trial saw them, its era and lists. Replaces what was there under this name. */
  saveServer(definition: ServerDefinition, memory: ServerMemory | null): void;
  /** One transaction: as `saveServer`, and what it replaces is kept. */
  replaceServer(definition: ServerDefinition, memory: ServerMemory | null, kept: KeptVersion): void;
  /** Versions that were replaced, and which servers stay at theirs. */
  readonly kept: Omit<KeptTable, 'put'>;
  /** @throws {McpdError} SERVER_UNKNOWN */
  patch(name: ServerName, patch: DefinitionPatch): ServerDefinition;
  /** With its memory; its exposed names stay. True when it was there. */
  removeServer(name: ServerName): boolean;

  /** What people said last by `start` or `stop`, by server, where they did and the start mode says otherwise. */
  allWishes(): Map<ServerName, Wish>;
  /** Null, or a server that is gone: nothing is kept. */
  saveWish(server: ServerName, wish: Wish): void;
  /** Takes back all of them. */
  forgetWishes(): void;

  /** All memories that belong to the present launch of their server. */
  allMemories(): Map<ServerName, ServerMemory>;
  memoryOf(server: ServerName, fingerprint: string): ServerMemory | null;
  /** False when the server is gone or has another fingerprint by now: then nothing is kept. */
  saveMemory(server: ServerName, memory: ServerMemory): boolean;

  /** Names of removed servers too, oldest first. */
  allNames(): ExposedName[];
  saveNames(names: readonly ExposedName[]): void;

  /** Clients that have a token, by name. */
  allClients(): ClientRow[];
  /** False when the name is taken. */
  addClient(client: ClientRow): boolean;
  /** True when it was there. */
  removeClient(name: string): boolean;

  /** What was set for mcpd as a whole: JSON text by its name, or null. */
  setting(name: string): string | null;
  /** Null removes it. */
  setSetting(name: string, value: string | null): void;

  readonly ledger: ProcessLedger;
  close(): void;
}

/** @throws {McpdError} REGISTRY_DAMAGED (the file stays as it is), REGISTRY_NEWER, DISK_FULL, HOME_UNWRITABLE, OUT_OF_FILES */
export function openRegistry(paths: Pick<Paths, 'registry'>): Registry {
  const path = paths.registry;
  const db = openDatabase(path, {
    migrations: [INIT, SHARING, SETTINGS, WISHES, KEPT_VERSIONS],
    cacheBytes: CACHE_BYTES,
  });
  const guarded = <A extends unknown[], R>(work: (...args: A) => R) => guard(path, work);
  const [servers, memories, names, clients, settings, ledger, wishes, kept] = guarded(
    () =>
      [
        serverTableOf(db),
        memoryTableOf(db),
        nameTableOf(db),
        clientTableOf(db),
        settingTableOf(db),
        ledgerOf(db),
        wishTableOf(db),
        keptTableOf(db),
      ] as const,
  )();

  let unreadable: readonly string[] = [];
  const patch = guarded((name: ServerName, change: DefinitionPatch) => {
    const definition = servers.one(name);
    if (definition === null) {
      throw unknownServer(
        name,
        servers.all().definitions.map((each) => each.name),
      );
    }
    const changed = patched(definition, change);
    durably(db, () => servers.put(changed));
    return changed;
  });
  return {
    allServers: guarded(() => {
      const { definitions, findings } = servers.all();
      unreadable = findings;
      return definitions;
    }),
    findings: () => unreadable,
    server: guarded(servers.one),
    has: guarded((name: ServerName) => servers.has(name)),
    saveServer: guarded((definition, memory) =>
      durably(db, () => {
        servers.put(definition);
        if (memory !== null) memories.put(definition.name, memory);
      }),
    ),
    replaceServer: guarded((definition, memory, replaced) =>
      durably(db, () => {
        kept.put(definition.name, replaced);
        servers.put(definition);
        if (memory !== null) memories.put(definition.name, memory);
      }),
    ),
    kept: {
      all: guarded(kept.all),
      of: guarded(kept.of),
      prove: guarded(kept.prove),
      drop: guarded(kept.drop),
      pins: guarded(kept.pins),
      pin: guarded((server, on) => durably(db, () => kept.pin(server, on))),
    },
    patch,
    removeServer: guarded((name) => durably(db, () => servers.remove(name))),
    allWishes: guarded(wishes.all),
    saveWish: guarded((server, wish) => durably(db, () => wishes.save(server, wish))),
    forgetWishes: guarded(() => durably(db, wishes.forget)),
    allMemories: guarded(memories.all),
    memoryOf: guarded(memories.of),
    saveMemory: guarded(memories.save),
    allNames: guarded(names.all),
    saveNames: guarded(names.save),
    allClients: guarded(clients.all),
    addClient: guarded((client) => durably(db, () => clients.add(client))),
    removeClient: guarded((name) => durably(db, () => clients.remove(name))),
    setting: guarded(settings.of),
    setSetting: guarded((name, value) => durably(db, () => settings.set(name, value))),
    ledger: { add: guarded(ledger.add), remove: guarded(ledger.remove), rows: guarded(ledger.rows) },
    close: () => {
      db.close();
    },
  };
}

// — internal —

const CACHE_BYTES = 1024 * 1024;

/** The same work, with SQLite's errors in mcpd's words. */
function guard<A extends unknown[], R>(path: string, work: (...args: A) => R): (...args: A) => R {
  return (...args) => {
    try {
      return work(...args);
    } catch (thrown) {
      throw sqliteFault(thrown, path);
    }
  };
}
