import type { CallDetail, CallStageName } from '../../../../src/api/contract/calls.ts';

/** A call as bars in lanes, host over mcpd over server, all of one scale. Pure. */

type Lane = 'host' | 'mcpd' | 'server';

export interface Bar {
  lane: Lane;
  label: string;
  fromMs: number;
  toMs: number;
  /** Percent of the whole width. */
  left: number;
  width: number;
}

/** A bar that lasted no time is still to be seen. */
const WIDTH_MIN = 0.4;

const STAGES: Record<CallStageName, { lane: Lane; label: string }> = {
  start: { lane: 'mcpd', label: 'the server starts' },
  turn: { lane: 'mcpd', label: 'waits its turn' },
  server: { lane: 'server', label: 'the server works' },
  input: { lane: 'host', label: 'the host is asked' },
};

/** The whole call first, as its host sees it, then its stages as they were. */
export function barsOf({ totalMs, stages }: Pick<CallDetail, 'totalMs' | 'stages'>): Bar[] {
  const placed = (lane: Lane, label: string, fromMs: number, toMs: number): Bar => {
    const share = (ms: number) => (totalMs > 0 ? Math.min(100, Math.max(0, (ms / totalMs) * 100)) : 0);
    const width = totalMs > 0 ? Math.max(WIDTH_MIN, share(toMs) - share(fromMs)) : 100;
    return { lane, label, fromMs, toMs, left: Math.min(share(fromMs), 100 - width), width };
  };
  return [
    placed('host', 'the whole call', 0, totalMs),
    ...stages.map(({ name, fromMs, toMs }) => placed(STAGES[name].lane, STAGES[name].label, fromMs, toMs)),
  ];
}
