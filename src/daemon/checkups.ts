import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Checkup, CheckupEvent } from '../api/contract/checkup.ts';
import {
  CHECKUP_ANSWER_MS,
  CHECKUP_END_MS,
  CHECKUP_SIGNAL_MS,
  CHECKUP_START_MS,
  CHECKUPS_MAX,
} from '../checkup-limits.ts';
import type { ServerDefinition } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { type Ending, judgeServer, type Seen } from '../install/checkup.ts';
import { STOP_STDIN_GRACE_MS } from '../limits.ts';
import {
  initializeParams,
  modernMeta,
  readDiscoverResult,
  readInitializeResult,
  type ServerGreeting,
} from '../protocol/handshake.ts';
import { launchWithDataIn } from '../recorder/replay-launch.ts';
import { signalGroup } from '../servers/signals.ts';
import { unknownServer } from '../unknown-server.ts';
import { VERSION } from '../version.ts';
import { noLists, readLists } from './checkup-lists.ts';
import { type Answer, CheckupProcess } from './checkup-process.ts';
import type { Parts } from './parts.ts';

/** Check-ups that are under way. Each has processes of its own, in an empty data folder, that the core and hosts know nothing of. */
export class Checkups {
  readonly #parts: Parts;
  #lastNumber = 0;
  #underWay = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws McpdError SERVER_UNKNOWN, INPUT_INVALID for a remote one, SERVER_BUSY, INSTALL_CANCELLED when nobody waits any more */
  async run(name: string, report: (event: CheckupEvent) => void, left: AbortSignal): Promise<void> {
    const { registry, now, ending } = this.#parts;
    const definition = registry.server(name);
    if (definition === null)
      throw unknownServer(
        name,
        registry.allServers().map((server) => server.name),
      );
    if (definition.launch.kind === 'http')
      throw new McpdError('INPUT_INVALID', {
        what: `${name} runs elsewhere, and what is checked is a process`,
        fix: `mcpd info ${name} says how it fares`,
      });
    if (this.#underWay >= CHECKUPS_MAX)
      throw new McpdError('SERVER_BUSY', {
        what: `${CHECKUPS_MAX} check-ups are under way`,
        fix: 'wait for one of them',
      });
    this.#underWay++;
    const startedAt = now();
    const dataDir = await mkdtemp(join(tmpdir(), 'mcpd-verify-'));
    try {
      const signal = AbortSignal.any([left, ending]);
      const step = (detail: string) => report({ type: 'step', detail });
      const { seen, greeting } = await this.#look(definition, dataDir, step, signal);
      if (signal.aborted) throw new McpdError('INSTALL_CANCELLED', { what: 'the check-up was called off' });
      const checkup: Checkup = {
        server: name,
        eras: [...seen.eras],
        protocolVersion: greeting?.protocolVersion ?? null,
        durationMs: Math.round(now() - startedAt),
        ...judgeServer(seen),
      };
      report({ type: 'done', checkup });
    } finally {
      this.#underWay--;
      await rm(dataDir, { recursive: true, force: true });
    }
  }

  /** Two processes: the first is met as a modern client does and ended by SIGTERM, the second by `initialize` and the end of its stdin. */
  async #look(
    definition: ServerDefinition,
    dataDir: string,
    step: (detail: string) => void,
    signal: AbortSignal,
  ): Promise<{ seen: Seen; greeting: ServerGreeting | null }> {
    const isAlone = (this.#parts.gateway.status(definition.name)?.pid ?? null) === null;
    let stderrBytes = 0;
    const unfollow = this.#parts.processes.log(definition.name).follow(({ source, text }) => {
      if (source === 'stderr') stderrBytes += Buffer.byteLength(text);
    });
    try {
      step('server/discover, as a client of 2026 begins');
      const modern = await this.#during(definition, dataDir, signal, meetModern);
      step('initialize, as older clients begin');
      const legacy = await this.#during(definition, dataDir, signal, meetLegacy);
      const { greeting } = legacy.found.greeting === null ? modern.found : legacy.found;
      const eras: Seen['eras'] = [
        ...(legacy.found.greeting === null ? [] : (['legacy'] as const)),
        ...(modern.found.greeting === null ? [] : (['modern'] as const)),
      ];
      const seen: Seen = {
        eras,
        refusal: legacy.found.refusal,
        probe: modern.found.probe,
        ping: legacy.found.ping,
        unknown: legacy.found.unknown ?? modern.found.unknown,
        cancel: legacy.found.cancel,
        lists: legacy.found.greeting === null ? modern.found.lists : legacy.found.lists,
        noise: modern.noise + legacy.noise,
        stderrBytes: isAlone ? stderrBytes : null,
        signal: modern.ending,
        eof: legacy.ending,
      };
      return { seen, greeting };
    } finally {
      unfollow();
    }
  }

  async #during<T>(
    definition: ServerDefinition,
    dataDir: string,
    signal: AbortSignal,
    meeting: Meeting<T>,
  ): Promise<{ found: T; noise: number; ending: Ending }> {
    const { processes, runtime } = this.#parts;
    const instance = `${definition.name}@verify-${++this.#lastNumber}`;
    const placed = { ...definition, launch: launchWithDataIn(definition.launch, dataDir) };
    const checked = new CheckupProcess(
      {
        spawn: () => processes.spawn({ instance, generation: GENERATION, definition: placed, isAside: true }),
        write: (message) => processes.write(instance, GENERATION, message),
        stop: (kill) => processes.stop(instance, GENERATION, kill),
      },
      signal,
    );
    const putBack = runtime.setAside(instance, (event) => checked.take(event));
    try {
      const found = await meeting.meet(checked);
      const ending = await this.#endOf(checked, meeting.endsBy, instance);
      return { found, noise: checked.noise, ending };
    } finally {
      processes.stop(instance, GENERATION, true);
      await within(checked.ended, CHECKUP_END_MS);
      putBack();
    }
  }

  /** How it ends when it is asked to; whatever is left of it is killed afterwards. */
  async #endOf(checked: CheckupProcess, endsBy: 'eof' | 'signal', instance: string): Promise<Ending> {
    if (checked.cause !== null) return null;
    const { processes } = this.#parts;
    if (endsBy === 'eof') processes.stop(instance, GENERATION, false);
    else {
      const pid = processes.pid(instance);
      if (pid !== null) signalGroup(pid, 'end');
    }
    const graceMs = endsBy === 'eof' ? STOP_STDIN_GRACE_MS : CHECKUP_SIGNAL_MS;
    const inTime = await within(checked.left, graceMs);
    if (!inTime) return { kind: 'had-to-be-killed', cause: `it was still there after ${graceMs / 1000} s` };
    await within(checked.ended, CHECKUP_END_MS);
    // At the end of stdin no signal may be what ended it.
    const signalled = endsBy === 'eof' && checked.exitSignal !== null;
    return signalled ? { kind: 'had-to-be-killed', cause: checked.cause ?? 'it was killed' } : { kind: 'by-itself' };
  }
}

// — internal —

const GENERATION = 1;
const IDENTITY = { name: 'mcpd', title: 'mcpd', version: VERSION };
const META = `{"_meta":${modernMeta(JSON.stringify(IDENTITY), '{}', null)}}`;
/** No server has it. */
const UNKNOWN_METHOD = 'mcpd/no-such-method';

/** What is asked of one process, and how it is ended. */
interface Meeting<T> {
  endsBy: 'eof' | 'signal';
  meet(checked: CheckupProcess): Promise<T>;
}

interface Found extends Pick<Seen, 'refusal' | 'probe' | 'ping' | 'unknown' | 'cancel' | 'lists'> {
  greeting: ServerGreeting | null;
}

const NOTHING: Omit<Found, 'lists' | 'probe'> = {
  greeting: null,
  refusal: null,
  ping: null,
  unknown: null,
  cancel: null,
};

const meetModern: Meeting<Found> = {
  endsBy: 'signal',
  meet: async (checked) => {
    const start = await checked.up(CHECKUP_START_MS);
    const probe = start.kind === 'result' ? await checked.ask('server/discover', META, CHECKUP_START_MS) : start;
    const greeting = probe.kind === 'result' ? readDiscoverResult(probe.result) : null;
    if (greeting === null || typeof greeting === 'string') return { ...NOTHING, probe, lists: noLists() };
    return {
      ...NOTHING,
      greeting,
      probe,
      lists: await readLists(checked, greeting, META),
      unknown: await checked.ask(UNKNOWN_METHOD, META, CHECKUP_ANSWER_MS),
    };
  },
};

const meetLegacy: Meeting<Found> = {
  endsBy: 'eof',
  meet: async (checked) => {
    const start = await checked.up(CHECKUP_START_MS);
    const params = initializeParams(IDENTITY, '{}');
    const reply = start.kind === 'result' ? await checked.ask('initialize', params, CHECKUP_START_MS) : start;
    const greeting = reply.kind === 'result' ? readInitializeResult(reply.result) : refusalOf(reply);
    if (typeof greeting === 'string') return { ...NOTHING, refusal: greeting, probe: reply, lists: noLists() };
    checked.tell('notifications/initialized');
    const lists = await readLists(checked, greeting, null);
    const ping = await checked.ask('ping', null, CHECKUP_ANSWER_MS);
    const unknown = await checked.ask(UNKNOWN_METHOD, null, CHECKUP_ANSWER_MS);
    // What is cancelled may be done already: a server must live with both.
    const id = checked.askOnly('ping', null);
    checked.tell('notifications/cancelled', JSON.stringify({ requestId: id, reason: 'check-up' }));
    const cancel = await checked.ask('ping', null, CHECKUP_ANSWER_MS);
    return { ...NOTHING, greeting, probe: reply, lists, ping, unknown, cancel };
  },
};

function refusalOf(reply: Exclude<Answer, { kind: 'result' }>): string {
  switch (reply.kind) {
    case 'error':
      return `it refused initialize with error ${reply.code}`;
    case 'silence':
      return `it did not answer initialize within ${CHECKUP_START_MS / 1000} s`;
    case 'gone':
      return `it ended before it answered initialize: ${reply.cause}`;
  }
}

/** False when it took longer. */
async function within(what: Promise<void>, timeoutMs: number): Promise<boolean> {
  const late = new AbortController();
  try {
    return await Promise.race([
      what.then(() => true),
      delay(timeoutMs, false, { signal: late.signal, ref: false }).catch(() => false), // the other was first
    ]);
  } finally {
    late.abort();
  }
}
