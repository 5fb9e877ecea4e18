import { expect, test } from 'vitest';
import type { ApprovalInfo } from '../../../src/api/contract/approvals.ts';
import { afterApprovalEvent, endText, runningText } from './progress.ts';

const WAITING: ApprovalInfo = {
  id: 'a1',
  action: 'install',
  server: 'weather',
  says: 'install weather and run it',
  details: [],
  warnings: [],
  askedAt: 0,
  expiresAt: 1,
  state: 'waiting',
  canBeTakenBack: true,
  error: null,
};

test('what was asked for is followed to its end, line by line', () => {
  const running = afterApprovalEvent(
    { approval: WAITING, lines: [] },
    { type: 'state', approval: { ...WAITING, state: 'running' } },
  );
  expect([runningText(running.approval), endText(running.approval)]).toEqual([
    'You said yes. It is being done …',
    null,
  ]);
  const tried = afterApprovalEvent(running, {
    type: 'progress',
    event: { type: 'step', step: 'trial', detail: 'node server.js' },
  });
  const done = afterApprovalEvent(tried, { type: 'state', approval: { ...WAITING, state: 'done' } });
  expect(done.lines).toEqual(['Trying it: node server.js']);
  expect(endText(done.approval)).toBe('It is done.');
});

test('what is done at once says that it cannot be taken back', () => {
  expect(runningText({ ...WAITING, state: 'running', canBeTakenBack: false })).toContain('cannot be taken back');
});

test('what a server said before it failed is kept', () => {
  const failed = afterApprovalEvent(
    { approval: WAITING, lines: [] },
    {
      type: 'progress',
      event: { type: 'failed', step: 'trial', error: { code: 'SERVER_EXITED', what: 'x' }, stderrTail: ['no key'] },
    },
  );
  expect(failed.lines).toEqual(['no key']);
});

test('an end that changed nothing says so', () => {
  for (const state of ['declined', 'withdrawn', 'expired'] as const)
    expect(endText({ ...WAITING, state })).toContain('nothing was changed');
});
