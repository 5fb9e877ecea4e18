import type { Checkup, CheckupItem, TrialCheckup } from '../api/contract/checkup.ts';
import { CHECKUP_REASONS_MAX, CHECKUP_STDERR_BYTES, CHECKUP_TOOLS_MAX } from '../checkup-limits.ts';
import { LIST_KINDS, type ListKind, type ServerMemory } from '../core/model.ts';
import { refusedNames, refusedSchemas, repairedEntries, undescribed } from './checkup-schemas.ts';

/** From what was seen of a server to points and reasons. Pure. */

/** What came of one question. */
export type Reply =
  | { kind: 'result' }
  | { kind: 'error'; code: number }
  | { kind: 'silence' }
  | { kind: 'gone'; cause: string };

/** How a process ended after it was asked to; null when there was none to ask. */
export type Ending = { kind: 'by-itself' } | { kind: 'had-to-be-killed'; cause: string } | null;

/** What one list was found to be. */
export interface SeenList {
  /** Raw JSON, as the server sent it. */
  entries: readonly string[];
  /** What went wrong beside the entries; null when nothing. */
  fault: string | null;
}

export interface SeenLists {
  eras: Checkup['eras'];
  lists: Readonly<Record<ListKind, SeenList>>;
}

export interface Seen extends SeenLists {
  /** Why it answered no handshake at all. */
  refusal: string | null;
  /** What it made of `server/discover` as the first words to a fresh process. */
  probe: Reply;
  /** Null: it was not asked, since it has no handshake that leads there. */
  ping: Reply | null;
  unknown: Reply | null;
  /** A ping after a cancelled request. */
  cancel: Reply | null;
  /** Lines on stdout that were no messages. */
  noise: number;
  /** Null: another process of the server was at work, and wrote into the same log. */
  stderrBytes: number | null;
  eof: Ending;
  signal: Ending;
}

export function judgeServer(seen: Seen): Pick<Checkup, 'score' | 'checks'> {
  return scored([
    ...PROCESS_CHECKS.map((check) => judged(check, seen)),
    ...LIST_CHECKS.map((check) => judged(check, seen)),
  ]);
}

/** Of the one start that an install makes anyway. Its lists are as hosts get them, and tell what was repaired. */
export function judgeTrial(memory: ServerMemory): TrialCheckup {
  const list = (kind: ListKind): SeenList => {
    const found = memory.lists.find((one) => one.kind === kind);
    return { entries: found?.entries ?? [], fault: found?.findings[0] ?? null };
  };
  const lists = {
    tools: list('tools'),
    prompts: list('prompts'),
    resources: list('resources'),
    templates: list('templates'),
  };
  return scored(LIST_CHECKS.map((check) => judged(check, { eras: [memory.era], lists })));
}

// — internal —

/** `share` of the points, 0 to 1. */
type Verdict = { share: number; reason: string; fix: string } | { skipped: string } | null;

interface CheckOf<S> {
  id: string;
  title: string;
  points: number;
  /** Null: all is well. */
  judge(seen: S): Verdict;
}

const PROCESS_CHECKS: readonly CheckOf<Seen>[] = [
  {
    id: 'handshake',
    title: 'answers a handshake',
    points: 25,
    judge: ({ eras, refusal }) =>
      eras.length > 0
        ? null
        : failed(
            refusal ?? 'it answered neither initialize nor server/discover',
            'run it in a terminal, and read its stderr: mcpd logs NAME',
          ),
  },
  {
    id: 'probe',
    title: 'lives on when a client of another era speaks first',
    points: 5,
    judge: ({ probe }) =>
      probe.kind === 'gone'
        ? failed(
            `it ended at server/discover: ${probe.cause}`,
            'answer requests that come before initialize with an error',
          )
        : probe.kind === 'silence'
          ? {
              share: 0.4,
              reason: 'it leaves server/discover without an answer',
              fix: 'answer unknown methods with error -32601, also before initialize',
            }
          : null,
  },
  {
    id: 'ping',
    title: 'answers ping',
    points: 5,
    judge: ({ ping }) => answered(ping, 'ping', 'answer ping with an empty result'),
  },
  {
    id: 'unknown-method',
    title: 'refuses methods that it does not know',
    points: 5,
    judge: ({ unknown }) => {
      const fix = 'answer unknown methods with error -32601';
      if (unknown?.kind === 'result') return failed('it has a result for a method that does not exist', fix);
      if (unknown?.kind === 'error')
        return unknown.code === -32601 ? null : { share: 0.6, reason: `its error is ${unknown.code}, not -32601`, fix };
      return answered(unknown, 'an unknown method', fix);
    },
  },
  {
    id: 'cancel',
    title: 'takes a cancellation',
    points: 5,
    judge: ({ cancel }) =>
      answered(cancel, 'a ping after notifications/cancelled', 'pass over cancellations of requests that are done'),
  },
  {
    id: 'stdout',
    title: 'writes nothing but messages on stdout',
    points: 8,
    judge: ({ noise, eras }) =>
      eras.length === 0
        ? NO_HANDSHAKE
        : noise === 0
          ? null
          : failed(
              `${noise} ${noise === 1 ? 'line was' : 'lines were'} no message`,
              'write logs to stderr: some hosts give up at the first such line',
            ),
  },
  {
    id: 'stderr',
    title: 'is quiet on stderr at rest',
    points: 2,
    judge: ({ stderrBytes }) =>
      stderrBytes === null
        ? { skipped: 'another process of it is at work and writes into the same log' }
        : stderrBytes <= CHECKUP_STDERR_BYTES
          ? null
          : failed(
              `it wrote ${Math.round(stderrBytes / 1024)} KiB while nothing was asked of it`,
              'log less: a host that does not read stderr would freeze it',
            ),
  },
  {
    id: 'eof',
    title: 'ends when its stdin ends',
    points: 10,
    judge: ({ eof }) => ended(eof, 'it outlives its host by its own will', 'end the process at the end of stdin'),
  },
  {
    id: 'signal',
    title: 'ends at SIGTERM',
    points: 5,
    judge: ({ signal }) => ended(signal, 'SIGTERM did not end it', 'end at SIGTERM, and pass it on to child processes'),
  },
];

const LIST_CHECKS: readonly CheckOf<SeenLists>[] = [
  {
    id: 'lists',
    title: 'gives the lists that it declares',
    points: 10,
    judge: ({ lists, eras }) => {
      if (eras.length === 0) return NO_HANDSHAKE;
      const faults = LIST_KINDS.flatMap((kind) => lists[kind].fault ?? []);
      const repaired = LIST_KINDS.flatMap((kind) => repairedEntries(kind, lists[kind].entries));
      const share = faults.length > 0 ? 0 : 0.5;
      return several(
        [...faults, ...repaired],
        share,
        'send entries as the specification has them; mcpd repairs them or leaves them out',
      );
    },
  },
  {
    id: 'names',
    title: 'has tool names that every host takes',
    points: 8,
    judge: ofTools((tools) =>
      several(refusedNames(tools), 0, 'name tools by A-Z, a-z, 0-9, _ and -, at most 64 characters, each once'),
    ),
  },
  {
    id: 'schemas',
    title: 'has schemas that strict hosts take',
    points: 8,
    judge: ofTools((tools) => several(refusedSchemas(tools), 0, 'give each tool a plain schema of "type": "object"')),
  },
  {
    id: 'descriptions',
    title: 'says of each tool what it does',
    points: 3,
    judge: ofTools((tools) => several(undescribed(tools), 0, 'describe each tool in a sentence')),
  },
  {
    id: 'amount',
    title: 'has no more tools than hosts can choose from',
    points: 1,
    judge: ofTools((tools) =>
      tools.length <= CHECKUP_TOOLS_MAX
        ? null
        : failed(
            `it has ${tools.length} tools; some hosts stop at ${CHECKUP_TOOLS_MAX}`,
            'offer fewer tools, or let people choose a set',
          ),
    ),
  },
];

const NO_HANDSHAKE: Verdict = { skipped: 'it answered no handshake' };

function ofTools(judge: (tools: readonly string[]) => Verdict): (seen: SeenLists) => Verdict {
  return ({ lists: { tools } }) =>
    tools.entries.length === 0
      ? { skipped: tools.fault === null ? 'it has no tools' : 'its tools could not be read' }
      : judge(tools.entries);
}

function failed(reason: string, fix: string): Verdict {
  return { share: 0, reason, fix };
}

function several(reasons: readonly string[], share: number, fix: string): Verdict {
  if (reasons.length === 0) return null;
  const more = reasons.length - CHECKUP_REASONS_MAX;
  const shown = reasons.slice(0, CHECKUP_REASONS_MAX).join('; ');
  return { share, reason: more > 0 ? `${shown}; and ${more} more` : shown, fix };
}

function answered(reply: Reply | null, what: string, fix: string): Verdict {
  switch (reply?.kind) {
    case undefined:
      return { skipped: 'there was no session to ask it in' };
    case 'result':
      return null;
    case 'error':
      return failed(`its answer to ${what} is error ${reply.code}`, fix);
    case 'silence':
      return failed(`it left ${what} without an answer`, fix);
    case 'gone':
      return failed(`it ended at ${what}: ${reply.cause}`, fix);
  }
}

function ended(ending: Ending, what: string, fix: string): Verdict {
  if (ending === null) return { skipped: 'it was not running any more' };
  return ending.kind === 'by-itself' ? null : failed(`${what} (${ending.cause})`, fix);
}

function judged<S>({ id, title, points, judge }: CheckOf<S>, seen: S): CheckupItem {
  const verdict = judge(seen);
  if (verdict === null) return { id, title, outcome: 'passed', points, of: points, reason: null, fix: null };
  if ('skipped' in verdict)
    return { id, title, outcome: 'skipped', points: 0, of: 0, reason: verdict.skipped, fix: null };
  const { share, reason, fix } = verdict;
  const outcome = share === 0 ? 'failed' : 'partly';
  return { id, title, outcome, points: Math.round(points * share), of: points, reason, fix };
}

function scored(checks: CheckupItem[]): Pick<Checkup, 'score' | 'checks'> {
  const total = (key: 'points' | 'of') => checks.reduce((sum, check) => sum + check[key], 0);
  const of = total('of');
  return { score: of === 0 ? 0 : Math.floor((100 * total('points')) / of), checks };
}
