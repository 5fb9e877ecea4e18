import { MARK } from './marks.ts';

/** `start`: its server starts. `turn`: it waits until it may be sent. `server`: the server has it. `input`: its host is asked something. */
type StageName = 'start' | 'turn' | 'server' | 'input';

/** A part of the way of a call, in milliseconds after its arrival. */
export interface Stage {
  name: StageName;
  fromMs: number;
  toMs: number;
}

/** The stages that the marks of a call draw, in order and without gaps, from its arrival to its end; none that took no time. */
export function stagesOf(
  marks: readonly number[],
  { queuedMs, totalMs }: { queuedMs: number; totalMs: number },
): Stage[] {
  // An earlier mcpd recorded no marks, and counted what came back with input from then on.
  const known = marks.length > 0 ? marks : [MARK.sent, Math.max(0, queuedMs)];
  const stages: Stage[] = [];
  let now: Stage = { name: 'turn', fromMs: 0, toMs: 0 };
  const end = (atMs: number): void => {
    now.toMs = atMs;
    if (atMs > now.fromMs) stages.push(now);
  };
  for (let at = 0; at + 1 < known.length; at += 2) {
    const name = stageAfter(known[at], known[at + 2]);
    if (name === null) continue;
    const atMs = known[at + 1] ?? 0;
    end(atMs);
    now = { name, fromMs: atMs, toMs: atMs };
  }
  end(totalMs);
  return stages;
}

// — internal —

/** Which stage begins; null for what happens within one. */
function stageAfter(what: number | undefined, next: number | undefined): StageName | null {
  switch (what) {
    case MARK.starting:
      return 'start';
    case MARK.started:
      return 'turn';
    case MARK.sent:
      return 'server';
    case MARK.asked:
      return 'input';
    case MARK.resumed:
      // A modern server gets the call once more; a legacy one has had it all the time.
      return next === MARK.sent || next === MARK.starting ? 'turn' : 'server';
    default:
      return null;
  }
}
