import { FROM_HOSTS, FROM_SERVERS } from './corpus.ts';
import { type FuzzHost, FuzzWorld } from './fuzz-world.ts';
import { modernMeta, seeded } from './messages.ts';
import { mutated, pick, type Random } from './mutations.ts';
import type { Character } from './servers.ts';

/** Wrong messages of one side, in worlds one after the other, and whether all is as it was afterwards. */

export interface FuzzOrder {
  messages: number;
  seed: number;
}

export type FuzzReport = FuzzWorld['counts'] & { codes: ReadonlySet<number> };

/** One world is used so long: what goes wrong is found by its number within the world. */
const MESSAGES_PER_WORLD = 20_000;
/** Time passes after so many messages, and a server that has ended is started again. */
const MESSAGES_PER_MOMENT = 100;
const MOMENT_MS = 300;
/** More hosts come when servers have already shown that they ask back: these may get processes of their own. */
const SECOND_SESSIONS_AT = 1000;

const CHARACTERS: Record<string, Character> = {
  alpha: {
    tools: ['one', 'two'],
    taskTools: ['two'],
    resources: ['shared://doc', 'a://x'],
    templates: ['a://{id}'],
    capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
  },
  beta: {
    tools: ['one', 'two'],
    prompts: ['ask'],
    resources: ['shared://doc'],
    era: 'modern',
    capabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } },
  },
};

const NEWLINE = Buffer.from('\n');

/** Hosts of all revisions send what is wrong to sound servers. @throws {Error} what went wrong, with the seed that shows it */
export function fuzzHosts(order: FuzzOrder): FuzzReport {
  return worlds('hosts', order, (random) => {
    const world = new FuzzWorld(random, CHARACTERS, () => true);
    const hosts = sessions(world, 'a');
    let sent = 0;
    return {
      world,
      send: () => {
        if (++sent === SECOND_SESSIONS_AT) hosts.push(...sessions(world, 'b'));
        const [host, corpus] = pick(hosts, random);
        const open = [...host.open.values()].flat();
        const goesOn = host.retries.length > 0 && random() < 0.2;
        world.hostSends(host, wrong(pick(goesOn ? host.retries : corpus, random), open, host.asked, random));
      },
    };
  });
}

/** Servers of both eras send what is wrong, while sound hosts call them. @throws {Error} as fuzzHosts */
export function fuzzServers(order: FuzzOrder): FuzzReport {
  return worlds('servers', order, (random) => {
    let wild = true;
    const world = new FuzzWorld(random, CHARACTERS, () => !wild);
    const hosts = sessions(world, 'a').map(([host]) => host);
    let calls = 0;
    let sent = 0;
    return {
      world,
      send: () => {
        if (++sent === SECOND_SESSIONS_AT) hosts.push(...sessions(world, 'b').map(([host]) => host));
        if (world.servers.size === 0) return world.advance(MOMENT_MS);
        const server = pick([...world.servers.values()], random);
        const host = pick(hosts, random);
        goOn(world, host, random);
        if (server.open.size < 8) world.hostSends(host, call(world, host, `"c${calls++}"`, `${server.name}__one`));
        const open = [...server.open.keys()].map(String);
        world.serverSends(server, wrong(pick(FROM_SERVERS, random), open, [], random));
      },
      soundAgain: () => {
        wild = false;
      },
    };
  });
}

// — internal —

interface Run {
  world: FuzzWorld;
  send(): void;
  /** From now on the servers behave. */
  soundAgain?(): void;
}

/** Runs worlds until all messages are sent; says which message of which seed it was when something is wrong. */
function worlds(side: string, { messages, seed: first }: FuzzOrder, begin: (random: Random) => Run): FuzzReport {
  const codes = new Set<number>();
  const total = { frames: 0, noise: 0, batches: 0, answers: 0, codes };
  for (let sent = 0; sent < messages; sent += MESSAGES_PER_WORLD) {
    const seed = first + sent;
    let at = 0;
    try {
      const run = begin(seeded(seed));
      for (; at < MESSAGES_PER_WORLD; at++) {
        run.send();
        if (at % MESSAGES_PER_MOMENT === 0) pass(run.world);
      }
      run.soundAgain?.();
      checkSound(run.world);
      for (const name of ['frames', 'noise', 'batches', 'answers'] as const) total[name] += run.world.counts[name];
      for (const code of run.world.codes) codes.add(code);
    } catch (error) {
      const how = `FUZZ_SEED=${seed} FUZZ_MESSAGES=${MESSAGES_PER_WORLD}`;
      throw new Error(`message ${at} of ${side} with ${how}: ${(error as Error).message}`, { cause: error });
    }
  }
  return total;
}

function pass(world: FuzzWorld): void {
  world.advance(MOMENT_MS);
  const running = new Set([...world.servers.values()].map(({ name }) => name));
  for (const name of Object.keys(CHARACTERS)) if (!running.has(name)) world.start(name);
}

/** A session of each revision, behind its handshake. */
function sessions(world: FuzzWorld, mark: string): [FuzzHost, readonly string[]][] {
  return Object.entries(FROM_HOSTS).map(([revision, corpus]) => {
    const host = world.openHost(`${revision}${mark}`);
    const [first = ''] = corpus;
    world.hostSends(host, Buffer.from(`${filled(first, [], [], () => 0)}\n`));
    return [host, corpus];
  });
}

/** A message of the corpus made wrong, with its end of line, which may be missing. */
function wrong(template: string, open: readonly string[], asked: readonly string[], random: Random): Buffer {
  const bytes = mutated(filled(template, open, asked, random), random);
  return random() < 0.02 ? bytes : Buffer.concat([bytes, NEWLINE]);
}

function filled(template: string, open: readonly string[], asked: readonly string[], random: Random): string {
  return template.replaceAll(/@(N|OPEN|ASKED)/g, (_, mark) => {
    const ids = mark === 'OPEN' ? open : mark === 'ASKED' ? asked : [];
    return ids.length > 0 && random() < 0.9 ? pick(ids, random) : String(Math.floor(random() * 40));
  });
}

/** A sound host gives what it was asked for. */
function goOn(world: FuzzWorld, host: FuzzHost, random: Random): void {
  const asked = host.asked.pop();
  if (asked !== undefined)
    world.hostSends(host, Buffer.from(`{"jsonrpc":"2.0","id":${asked},"result":{"action":"accept","content":{}}}\n`));
  const retry = host.retries.pop();
  if (retry === undefined) return;
  const id = `"again${Math.floor(random() * 1e9)}"`;
  world.hostSends(host, Buffer.from(`${retry.replace('@N', id)}\n`));
}

/** A sound call of a tool as the session's era writes it. */
function call(world: FuzzWorld, host: FuzzHost, id: string, name: string): Buffer {
  const isModern = world.gateway.view.sessions.get(host.session)?.era === 'modern';
  const params = { name, arguments: { of: host.session, id }, ...(isModern ? { _meta: modernMeta() } : {}) };
  return Buffer.from(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${JSON.stringify(params)}}\n`);
}

/** Everything is answered, and a call of each session to each server comes back to it. */
function checkSound(world: FuzzWorld): void {
  world.quiet = true;
  // Half a line may be open on every side.
  for (const host of world.hosts.values()) world.hostSends(host, NEWLINE);
  for (const server of world.servers.values()) world.serverSends(server, NEWLINE);
  world.settle();
  for (const name of Object.keys(CHARACTERS)) restart(world, name);
  for (const host of world.hosts.values())
    for (const name of Object.keys(CHARACTERS)) {
      const id = `"kept-${name}"`;
      world.hostSends(host, call(world, host, id, `${name}__one`));
      world.settle();
      const text = JSON.stringify({ of: host.session, id });
      const answer = JSON.stringify(host.answers.get(id));
      if (answer?.includes(JSON.stringify(text)) !== true)
        throw new RangeError(`${host.session} calls ${name} and gets ${answer}`);
    }
}

/** With its own lists again, whatever it said of them before. */
function restart(world: FuzzWorld, name: string): void {
  world.post({ type: 'command', server: name, command: 'restart' });
  for (let round = 0; round < 10; round++) world.advance(5000);
}
