import { describe, expect, it } from 'vitest';
import { type DaemonMark, momentsOf, NO_DAEMON, STRIP_MS, stretchesOf, type Transition, totalsOf } from './timeline.ts';

const NOW = 10 * STRIP_MS;

const change = (at: number, to: string): Transition => ({ at, from: 'stopped', to, reason: '' });

const of = (transitions: Transition[], daemons: DaemonMark[] = []) => ({ transitions, daemons });
const mark = (at: number, which: DaemonMark['mark']): DaemonMark => ({ at, mark: which, reason: '' });

describe('the states of the last hour', () => {
  it('follow one another, whichever way the changes are given, up to now', () => {
    const changes = [change(NOW - 1000, 'running'), change(NOW - 4000, 'starting')];
    expect(stretchesOf(of(changes), NOW)).toEqual([
      { state: 'starting', ms: 3000, share: 0.75 },
      { state: 'running', ms: 1000, share: 0.25 },
    ]);
  });

  it('leave out what was before, and begin within a state that lasts', () => {
    const changes = [
      change(NOW - 3 * STRIP_MS, 'starting'),
      change(NOW - 2 * STRIP_MS, 'running'),
      change(NOW - STRIP_MS / 2, 'failed'),
    ];
    expect(stretchesOf(of(changes), NOW)).toEqual([
      { state: 'running', ms: STRIP_MS / 2, share: 0.5 },
      { state: 'failed', ms: STRIP_MS / 2, share: 0.5 },
    ]);
  });

  it('are none without a change, or when the clock was set back', () => {
    expect(stretchesOf(of([]), NOW)).toEqual([]);
    expect(stretchesOf(of([change(NOW + 5000, 'running')]), NOW)).toEqual([]);
  });

  it('break where a daemon ended, and go on at rest with the next one', () => {
    const past = of(
      [change(NOW - 8000, 'running'), change(NOW - 1000, 'running')],
      [mark(NOW - 2000, 'began'), mark(NOW - 4000, 'lost')],
    );
    expect(stretchesOf(past, NOW).map(({ state, ms }) => [state, ms])).toEqual([
      ['running', 4000],
      [NO_DAEMON, 2000],
      ['stopped', 1000],
      ['running', 1000],
    ]);
  });

  it('keep the order of daemons that changed something in the millisecond of their begin or end', () => {
    const at = NOW - 5000;
    const past = of([change(at, 'stopped'), change(at + 9, 'starting')], [mark(at + 9, 'began'), mark(at, 'ended')]);
    const shown = momentsOf(past).map((moment) => (moment.kind === 'change' ? moment.change.to : moment.mark.mark));
    expect(shown).toEqual(['starting', 'began', 'ended', 'stopped']);
  });

  it('add up by state, the longest first', () => {
    const changes = [change(NOW - 6000, 'running'), change(NOW - 5000, 'backoff'), change(NOW - 1000, 'running')];
    expect(totalsOf(stretchesOf(of(changes), NOW))).toEqual([
      { state: 'backoff', ms: 4000 },
      { state: 'running', ms: 2000 },
    ]);
  });
});
