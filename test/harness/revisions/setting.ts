import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fake, recordsIn } from '../fake.ts';
import type { Machine } from '../machine.ts';
import { within } from '../until.ts';
import type { Pair } from './cells.ts';
import { httpWire } from './http-wires.ts';
import { RevisionHost } from './revision-host.ts';
import { stdioWire } from './stdio-wire.ts';
import { nameOf, type Place } from './table.ts';

export interface Servers {
  /** A pair of this server with a host that is still to be named. */
  pairWith(server: Place): Omit<Pair, 'host'>;
  /** Ends those that are reached over HTTP. */
  end(): Promise<void>;
}

/** Installs a server for each place, named after it. */
export async function installServers(machine: Machine, places: readonly Place[]): Promise<Servers> {
  await machine.startDaemon();
  const ends = await Promise.all(places.map((place) => installServer(machine, nameOf(place), place)));
  return {
    pairWith: (server) => ({
      server: nameOf(server),
      revision: server.revision,
      label: labelOf(nameOf(server)),
      recorded: recordedBy(machine.recordFile, nameOf(server)),
    }),
    end: async () => {
      await Promise.all(ends.map((end) => end()));
    },
  };
}

/** Installs a server that is at this place, started with these flags besides. Gives what ends it, if it is no process of mcpd's own. */
export async function installServer(
  machine: Machine,
  name: string,
  { revision, transport }: Place,
  flags: readonly string[] = [],
): Promise<() => Promise<void>> {
  const args = ['--revision', revision, '--transport', transport, '--name', name, ...flags];
  if (transport === 'stdio') {
    await machine.add(name, 'any-revision', args);
    return () => Promise.resolve();
  }
  const env = { ...machine.home.env, RECORD_FILE: machine.recordFile };
  const { child, url } = await startRemote(fake('any-revision', ...args), env);
  machine.home.track(child.pid);
  await machine.ok('install', url, '--name', name, '--yes');
  return () => endOf(child);
}

/** How often a server has recorded this: with this marker, or at all. A call that goes on in a later round is no other call. */
export function recordedBy(file: string, server: string): Pair['recorded'] {
  return (what, marker) =>
    recordsIn(file, what)
      .filter((record) => (marker === undefined ? record['server'] === server : record['marker'] === marker))
      .filter(({ round = 1 }) => round === 1).length;
}

/** What mcpd puts before names and questions. */
export function labelOf(server: string): Pair['label'] {
  return { names: `${server}__`, questions: `${server}: ` };
}

/** What servers saw and their revision does not allow, each once. */
export function violationsIn(file: string): string[] {
  return [...new Set(recordsIn(file, 'violation').map(({ pid: _, ...record }) => JSON.stringify(record)))];
}

/** Connects a host of this place, which wants log lines from `info` on. */
export async function connectPlace(machine: Machine, place: Place, label = nameOf(place)): Promise<RevisionHost> {
  const { home } = machine;
  const wire =
    place.transport === 'stdio'
      ? stdioWire(machine.stdio, { env: home.env, cwd: home.userHome, onPid: (pid) => home.track(pid) })
      : httpWire(place.revision, await machine.httpPlace(place.revision === '2024-11-05' ? '/mcp/sse' : '/mcp'));
  const host = await RevisionHost.connect({ label, revision: place.revision, wire });
  await host.setLevel('info');
  return host;
}

/** A server that somebody else runs: it says its URL on its first line, and leaves when its stdin ends. */
export async function startRemote(
  [program, ...args]: [string, ...string[]],
  env: NodeJS.ProcessEnv,
): Promise<{ child: ChildProcess; url: string }> {
  const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const first = new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    lines.once('close', () => reject(new Error(`${args.join(' ')} has ended without a URL`)));
  });
  return { child, url: await within(`the URL of ${args.join(' ')}`, first) };
}

export function endOf(child: ChildProcess): Promise<void> {
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.stdin?.end();
  return within(`${child.spawnargs.join(' ')} to leave after its stdin has ended`, gone);
}
