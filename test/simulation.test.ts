import { expect, test } from 'vitest';
import { AskingRun } from './simulated/asking-run.ts';
import { checkInvariants, checkNothingOpen, checkNothingOwned, checkNothingWatched } from './simulated/invariants.ts';
import { RandomRun } from './simulated/random-run.ts';

/**
 * Random events against the core. The world itself refuses a second answer, an answer to a cancelled request, a notice that belongs to no
 * open request, and a second process for an instance; here it is seen that every request is answered in the end, that every stop ends in
 * `stopped`, and that nothing is kept of what is gone.
 */
const SEEDS = 25;
const EVENTS_PER_SEED = 5000;
/** Looking at all maps costs more than an event. */
const EVENTS_PER_LOOK = 50;
/** Against a loop without an end, and no proof of speed: seconds of computing, which are a minute on a machine that others use too. */
const RUN_TIMEOUT_MS = 300_000;

test(`${SEEDS * EVENTS_PER_SEED} random events: each request is answered once, never two processes, every stop ends, nothing is left`, {
  timeout: RUN_TIMEOUT_MS,
}, () => {
  let events = 0;
  let answered = 0;
  for (let seed = 1; seed <= SEEDS; seed++) {
    const run = new RandomRun(seed);
    const { world } = run;
    for (let n = 0; n < EVENTS_PER_SEED; n++) {
      run.step();
      events += 1;
      if (n % EVENTS_PER_LOOK !== 0) continue;
      checkInvariants(world, `seed ${seed}, event ${n}`);
      world.effects = [];
    }
    run.settle();
    for (const host of world.hosts.values()) {
      expect([...host.open], `seed ${seed}: unanswered requests of ${host.session}`).toEqual([]);
      answered += host.answers.size;
    }
    checkInvariants(world, `seed ${seed}, settled`);
    checkNothingOpen(world, `seed ${seed}`);
    run.leave();
    checkInvariants(world, `seed ${seed}, without hosts`);
    checkNothingWatched(world, `seed ${seed}, without hosts`);
    run.shutdown();
    expect(world.allStopped, `seed ${seed}: all stopped`).toBe(true);
    checkInvariants(world, `seed ${seed}, stopped`);
    expect([...world.processes.keys()], `seed ${seed}: processes left`).toEqual([]);
    for (const status of world.gateway.statuses())
      expect(['stopped', 'failed'], `seed ${seed}: ${status.name}`).toContain(status.state);
  }
  expect(events).toBe(SEEDS * EVENTS_PER_SEED);
  expect(answered).toBeGreaterThan(events / 25);
});

test('servers that ask hosts during calls: no question at a host that did not cause it, each answered once, no call twice, nothing is left', {
  timeout: RUN_TIMEOUT_MS,
}, () => {
  const seen = { asked: 0, atHosts: 0, answered: 0, wishes: 0, resumed: 0, forged: 0 };
  for (let seed = 1; seed <= 12; seed++) {
    const run = new AskingRun(seed);
    const { world } = run;
    for (let n = 0; n < 3000; n++) {
      run.step();
      if (n % EVENTS_PER_LOOK !== 0) continue;
      checkInvariants(world, `seed ${seed}, event ${n}`);
      world.effects = [];
    }
    run.settle();
    checkInvariants(world, `seed ${seed}, settled`);
    checkNothingOpen(world, `seed ${seed}`);
    for (const host of world.hosts.values())
      expect([...host.open], `seed ${seed}: unanswered requests of ${host.session}`).toEqual([]);
    expect(run.unanswered(), `seed ${seed}: unanswered questions`).toEqual([]);
    run.leave();
    checkInvariants(world, `seed ${seed}, without hosts`);
    checkNothingOwned(world, `seed ${seed}, without hosts`);
    for (const kind of Object.keys(seen) as (keyof typeof seen)[]) seen[kind] += run.marks.counts[kind];
  }
  // Each kind of thing has happened often enough to mean something.
  for (const [kind, count] of Object.entries(seen)) expect(count, kind).toBeGreaterThan(50);
});
