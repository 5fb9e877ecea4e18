import { execFile } from 'node:child_process';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf } from '../errors.ts';
import { CONTAINER_END_MS } from '../limits.ts';
import type { ServerOrder } from './running-server.ts';

/** Stands in a launch for a file in which the container engine writes the id of its container. */
const CID_FILE = `\${cidFile}`;

/** Whether a launch is that of a container which mcpd ends by its id. */
export function isContainer(args: readonly string[]): boolean {
  return args.includes(CID_FILE);
}

/** Variables by which a person leads docker and podman to their engine: their program needs them, and servers get nothing of them. */
export function engineVariables(inherited: NodeJS.ProcessEnv): Record<string, string> {
  const found = Object.entries(inherited).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && ENGINE_VARIABLES.has(entry[0]),
  );
  return Object.fromEntries(found);
}

/** Where the id of one container goes. */
export interface ContainerPlace {
  /** A file for the next container; an engine refuses one that is there already. */
  file(): string;
  /** Before its start. `engine`: the absolute path of the program. */
  begins(file: string, engine: string): Promise<void>;
}

/**
 * The containers of servers. The process that mcpd starts is only the engine's client: when that is killed, its container lives on, and a
 * daemon that dies takes no container along. So the id of each is in a file, beside the program that can end it.
 */
export class Containers {
  readonly #folder: string;
  readonly #nonce: string;
  readonly #environment: () => Promise<NodeJS.ProcessEnv>;
  readonly #files = new Map<string, string>();
  readonly #ending = new Set<Promise<void>>();
  #count = 0;

  /** `folder` keeps the ids while containers live; `nonce` is the daemon's, without a slash; `environment` is for the engine's program. */
  constructor(folder: string, nonce: string, environment: () => Promise<NodeJS.ProcessEnv>) {
    this.#folder = folder;
    this.#nonce = nonce;
    this.#environment = environment;
  }

  of(order: Started): ContainerPlace {
    return {
      file: () => {
        this.#count += 1;
        const file = join(this.#folder, `${this.#nonce}.${this.#count}`);
        this.#files.set(keyOf(order), file);
        return file;
      },
      begins: async (file, engine) => {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        await writeFile(`${file}${ENGINE_FILE}`, engine, { mode: 0o600 });
      },
    };
  }

  /** The client has ended: so must its container. `tell` is told what hampers that. */
  ended(order: Started, tell: (fault: string) => void): void {
    const file = this.#files.get(keyOf(order));
    if (file === undefined) return;
    this.#files.delete(keyOf(order));
    const ending = this.#end(file).then((fault) => {
      if (fault !== null) tell(fault);
      this.#ending.delete(ending);
    });
    this.#ending.add(ending);
  }

  /** Ends what earlier daemons left. Never rejects: answers with what could not be ended. */
  async sweep(): Promise<string[]> {
    try {
      const files = new Set((await namesIn(this.#folder)).map((name) => name.replace(ENGINE_FILE, '')));
      const left = [...files].filter((name) => !name.startsWith(`${this.#nonce}.`));
      const faults = await Promise.all(left.map((name) => this.#end(join(this.#folder, name))));
      return faults.filter((fault) => fault !== null);
    } catch (error) {
      return [`containers of an earlier daemon cannot be looked up: ${errnoOf(error) ?? String(error)}`];
    }
  }

  /** Resolves when no container is being ended any more. */
  async settled(): Promise<void> {
    while (this.#ending.size > 0) await Promise.all(this.#ending);
  }

  // — internal —

  /** Null when it is gone; what could not be ended keeps its files, for the next daemon. */
  async #end(file: string): Promise<string | null> {
    try {
      const [id, engine] = await Promise.all([textIn(file), textIn(`${file}${ENGINE_FILE}`)]);
      if (id !== null && engine !== null && ID.test(id)) {
        const fault = await removed(engine, id, await this.#environment());
        if (fault !== null) return `the container ${id.slice(0, ID_SHOWN)} could not be ended: ${fault}`;
      }
      await rm(file, { force: true });
      await rm(`${file}${ENGINE_FILE}`, { force: true });
      return null;
    } catch (error) {
      return `a container could not be ended: ${errnoOf(error) ?? String(error)}`;
    }
  }
}

// — internal —

type Started = Pick<ServerOrder, 'instance' | 'generation'>;

function keyOf({ instance, generation }: Started): string {
  return `${generation}:${instance}`;
}

const ENGINE_FILE = '.engine';
const ID = /^[0-9a-f]{12,64}$/;
const ID_SHOWN = 12;
const ENGINE_VARIABLES = new Set([
  ...['DOCKER_HOST', 'DOCKER_CONTEXT', 'DOCKER_CONFIG', 'DOCKER_CERT_PATH', 'DOCKER_TLS_VERIFY'],
  ...['CONTAINER_HOST', 'CONTAINER_CONNECTION', 'CONTAINER_SSHKEY', 'CONTAINERS_CONF', 'CONTAINERS_STORAGE_CONF'],
]);

async function textIn(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim();
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** None where there is no such folder: no container was ever started. */
async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Null when it is gone, also when it was so before: most end by themselves, and are removed with it. */
function removed(engine: string, id: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(engine, ['rm', '--force', id], { env, timeout: CONTAINER_END_MS }, (error, _, stderr) => {
      if (error === null || /no such container|no container with/i.test(stderr)) resolve(null);
      else resolve(stderr.trim().split('\n').at(-1) || error.message);
    });
  });
}
