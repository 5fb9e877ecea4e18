import { describe, expect, it } from 'vitest';
import { STRIP_MS, stretchesOf, type Transition, totalsOf } from './timeline.ts';

const NOW = 10 * STRIP_MS;

const change = (at: number, to: string): Transition => ({ at, from: 'stopped', to, reason: '' });

describe('the states of the last hour', () => {
  it('follow one another, whichever way the changes are given, up to now', () => {
    const changes = [change(NOW - 1000, 'running'), change(NOW - 4000, 'starting')];
    expect(stretchesOf(changes, NOW)).toEqual([
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
    expect(stretchesOf(changes, NOW)).toEqual([
      { state: 'running', ms: STRIP_MS / 2, share: 0.5 },
      { state: 'failed', ms: STRIP_MS / 2, share: 0.5 },
    ]);
  });

  it('are none without a change, or when the clock was set back', () => {
    expect(stretchesOf([], NOW)).toEqual([]);
    expect(stretchesOf([change(NOW + 5000, 'running')], NOW)).toEqual([]);
  });

  it('add up by state, the longest first', () => {
    const changes = [change(NOW - 6000, 'running'), change(NOW - 5000, 'backoff'), change(NOW - 1000, 'running')];
    expect(totalsOf(stretchesOf(changes, NOW))).toEqual([
      { state: 'backoff', ms: 4000 },
      { state: 'running', ms: 2000 },
    ]);
  });
});
