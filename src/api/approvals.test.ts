import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PlainControl } from '../../test/harness/plain-control.ts';
import { serverStatus } from '../../test/harness/server-status.ts';
import { McpdError } from '../errors.ts';
import {
  APPROVAL_BYTES_MAX,
  APPROVAL_CODE_MS,
  APPROVAL_CODE_TRIES_MAX,
  APPROVAL_MS,
  APPROVALS_ENDED_KEPT,
  APPROVALS_WAITING_MAX,
} from '../operation-limits.ts';
import { secretReference } from '../secret-references.ts';
import { Approvals } from './approvals.ts';
import type { ApprovalEvent, ApprovalRequest } from './contract/approvals.ts';
import type { EntryChange, UpdateOffer } from './contract/updates.ts';
import type { CommandRequest } from './contract.ts';

const START = 1_700_000_000_000;
let now: number;
let control: PlainControl;
let approvals: Approvals;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  now = START;
  control = new PlainControl('weather');
  approvals = new Approvals(control, () => now);
});
afterEach(() => vi.useRealTimers());

const REFERENCE = secretReference('KEY');
const REMOVE: ApprovalRequest = { action: 'uninstall', server: 'weather' };

function add(changes: Partial<CommandRequest> = {}): ApprovalRequest {
  const command = { name: 'files', command: 'node', args: ['a b.js'], cwd: '/home/ann', env: {}, trial: true };
  return { action: 'add', add: { ...command, ...changes } };
}

/** One tool differs, and it tells models something. */
function offer(change: Pick<EntryChange, 'key' | 'members'>): UpdateOffer {
  return {
    ...{ server: 'weather', from: '1.0.0', to: '2.0.0', package: 'npm:weather', integrity: 'sha512-x' },
    ...{ commandLine: 'node x', moreChanges: 0, agreement: 'a1' },
    changes: [{ list: 'tools', change: 'changed', ...change }],
    instructions: { before: null, after: 'be brief' },
  };
}

/** What was asked of the daemon, but for plans, which change nothing. */
function done(): string[] {
  return control.asked.filter((asked) => !asked.startsWith('plan '));
}

function eventsOf(id: string): ApprovalEvent[] {
  const events: ApprovalEvent[] = [];
  approvals.follow(id, (event) => events.push(event));
  return events;
}

/** `state running`, `step fetch`. */
function told(event: ApprovalEvent): string {
  if (event.type === 'state') return `state ${event.approval.state}`;
  if (event.event.type !== 'step') return event.event.type;
  return `step ${'step' in event.event ? event.event.step : event.event.detail}`;
}

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'nothing thrown';
  } catch (thrown) {
    if (thrown instanceof McpdError) return thrown.code;
    throw thrown;
  }
}

describe('what a page asks for', () => {
  test('has no effect before a person says yes, and then has it once', async () => {
    const { id, state } = await approvals.ask(REMOVE);
    expect([state, done()]).toEqual(['waiting', []]);
    approvals.accept(id);
    await expect.poll(() => approvals.info(id).state).toBe('done');
    expect(done()).toEqual(['uninstall weather false']);
    expect(await codeOf(() => approvals.accept(id))).toBe('APPROVAL_ENDED');
    expect(done()).toHaveLength(1);
  });

  test('is carried out by its kind', async () => {
    const requests: ApprovalRequest[] = [
      { action: 'install', install: { spec: 'weather' } },
      add(),
      { action: 'uninstall', server: 'weather', purge: true },
      { action: 'apply', apply: { path: '/x/mcpd.json', text: '{}' } },
      { action: 'set-secret', server: 'weather', secret: { name: 'KEY', value: 'v' } },
      { action: 'remove-secrets', server: 'gone' },
    ];
    for (const request of requests) {
      const { id } = await approvals.ask(request);
      approvals.accept(id);
      await expect.poll(() => approvals.info(id).state).toBe('done');
    }
    expect(done()).toEqual([
      'install weather',
      'add files',
      'uninstall weather true',
      'apply /x/mcpd.json',
      'set weather KEY v',
      'remove gone null',
    ]);
  });

  test('may name kept secrets in a file: it is shown where they would go, and nothing is done if that has changed by the yes', async () => {
    const request: ApprovalRequest = { action: 'apply', apply: { path: '/x/mcpd.json', text: '{}' } };
    const use = {
      server: 'weather',
      secret: 'KEY',
      place: `header: X=${REFERENCE}`,
      to: 'https://elsewhere.example/',
      steers: false,
    };
    control.applied = { changed: ['weather'], removed: ['old'], secrets: [use] };
    const first = await approvals.ask(request);
    expect(first.details.slice(0, -1)).toEqual([
      { label: 'changes', value: 'weather' },
      { label: 'removes', value: 'old' },
      { label: 'sends', value: `the secret KEY of weather to https://elsewhere.example/ (header: X=${REFERENCE})` },
    ]);
    expect(first.warnings[0]).toContain('secrets that you gave before');

    control.applied = { changed: ['weather'], secrets: [use, { ...use, secret: 'OTHER' }] };
    approvals.accept(first.id);
    await expect.poll(() => approvals.info(first.id).state).toBe('failed');
    expect(approvals.info(first.id).error?.what).toContain('something else by now');
    expect(done()).toEqual([]);

    control.applied = { secrets: [{ ...use, place: `variable: NODE_OPTIONS=${REFERENCE}`, steers: true }] };
    expect(await codeOf(() => approvals.ask(request))).toBe('INPUT_INVALID');
  });

  test('may be another version: it is tried at the version that was shown, and taken only by a yes to what it changes', async () => {
    const life = control.plainLife;
    const first = await approvals.ask({ action: 'try-update', server: 'weather' });
    expect(first.details).toContainEqual({ label: 'fetch', value: 'npm:weather@2.0.0' });
    life.newest = '3.0.0';
    life.trying = async (_server, _request, report) => {
      report({ type: 'step', detail: 'fetch: npm:weather' });
      life.waiting = offer({
        key: 'now\nwarning  none',
        members: [{ name: 'description', before: '"a"', after: '"b"' }],
      });
      report({ type: 'offer', offer: life.waiting });
    };
    const seen: string[] = [];
    approvals.follow(first.id, (event) => seen.push(told(event)));
    approvals.accept(first.id);
    await vi.waitFor(() => expect(approvals.info(first.id).state).toBe('done'));
    expect(seen).toEqual(['state waiting', 'state running', 'step fetch: npm:weather', 'state done']);

    expect(await codeOf(() => approvals.ask({ action: 'update', server: 'weather', agreement: 'other' }))).toBe(
      'UPDATE_CHANGED',
    );
    const second = await approvals.ask({ action: 'update', server: 'weather', agreement: 'a1' });
    expect(second.says).toBe('update weather from 1.0.0 to 2.0.0');
    expect(second.details.at(-2)).toEqual({
      label: 'changes tool',
      value: 'now\\nwarning  none\ndescription\n  - "a"\n  + "b"',
    });
    expect(second.details.at(-1)).toEqual({ label: 'tells models', value: '+ be brief' });
    expect(done()).toEqual(['try weather 2.0.0']);
    approvals.accept(second.id);
    await vi.waitFor(() => expect(approvals.info(second.id).state).toBe('done'));
    expect(done()).toEqual(['try weather 2.0.0', 'update weather a1']);
  });

  test('may be what was published anew: the yes is to its whole integrity', async () => {
    control.plainLife.integrity = `sha256:${'e'.repeat(64)}`;
    const { id, details } = await approvals.ask({ action: 'try-update', server: 'weather' });
    expect(details).toContainEqual({ label: 'integrity', value: control.plainLife.integrity });
    control.plainLife.integrity = null;
    approvals.accept(id);
    await vi.waitFor(() => expect(approvals.info(id).state).toBe('done'));
    expect(done()).toEqual([`try weather 2.0.0 sha256:${'e'.repeat(64)}`]);
  });

  test('may be the version before, when one is kept; what failed to start says why, and a try can be taken back', async () => {
    const life = control.plainLife;
    expect(await codeOf(() => approvals.ask({ action: 'rollback', server: 'weather' }))).toBe('NOTHING_KEPT');
    const facts = { server: 'weather', kind: 'npm', identifier: '@acme/weather', installed: '2.0.0' } as const;
    life.states = [{ ...facts, available: null, isOutdated: false, isPinned: false, kept: '1.0.0', error: null }];
    const back = await approvals.ask({ action: 'rollback', server: 'weather' });
    expect(back.says).toBe('go back to 1.0.0 of weather');
    expect(approvals.accept(back.id).canBeTakenBack).toBe(false);
    await vi.waitFor(() => expect(approvals.info(back.id).state).toBe('done'));
    expect(done()).toEqual(['roll back weather']);

    const stale = await approvals.ask({ action: 'rollback', server: 'weather' });
    life.states = life.states.map((state) => ({ ...state, installed: '1.0.0', kept: '2.0.0' }));
    approvals.accept(stale.id);
    await vi.waitFor(() => expect(approvals.info(stale.id).error?.code).toBe('APPROVAL_ENDED'));
    expect(done()).toEqual(['roll back weather']);

    const error = { code: 'SERVER_EXITED', what: 'it ended' } as const;
    life.trying = async (_server, _request, report) => report({ type: 'failed', error, stderrTail: ['no key'] });
    const bad = await approvals.ask({ action: 'try-update', server: 'weather', version: '1.5.0' });
    approvals.accept(bad.id);
    await vi.waitFor(() => expect(approvals.info(bad.id)).toMatchObject({ state: 'failed', error }));
    life.trying = (_server, _request, _report, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const held = await approvals.ask({ action: 'try-update', server: 'weather' });
    expect(approvals.accept(held.id).canBeTakenBack).toBe(true);
    approvals.withdraw(held.id);
    await vi.waitFor(() => expect(approvals.info(held.id).error?.code).toBe('INSTALL_CANCELLED'));
    expect(await codeOf(() => approvals.ask({ action: 'try-update', server: 'weather', version: '1.0.0' }))).toBe(
      'INPUT_INVALID',
    );
  });

  test('can be taken back while it waits; while it runs only an install can, and the others say so', async () => {
    let finish: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      finish = resolve;
    });
    control.uninstall = () => held;
    const { id, canBeTakenBack } = await approvals.ask(REMOVE);
    expect(canBeTakenBack).toBe(true);
    expect(approvals.accept(id).canBeTakenBack).toBe(false);
    expect(await codeOf(() => approvals.withdraw(id))).toBe('APPROVAL_ENDED');
    finish();
    await expect.poll(() => approvals.info(id)).toMatchObject({ state: 'done', canBeTakenBack: false });

    control.installing = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const install = await approvals.ask({ action: 'install', install: { spec: 'weather' } });
    expect(approvals.accept(install.id).canBeTakenBack).toBe(true);
    approvals.withdraw(install.id);
    await expect.poll(() => approvals.info(install.id).error?.code).toBe('INSTALL_CANCELLED');
  });

  test('is never done when it was declined, taken back, or waited too long', async () => {
    const [no, back, late] = [await approvals.ask(REMOVE), await approvals.ask(REMOVE), await approvals.ask(REMOVE)];
    expect(approvals.decline(no.id).state).toBe('declined');
    expect(approvals.withdraw(back.id).state).toBe('withdrawn');
    now += APPROVAL_MS;
    expect(approvals.info(late.id).state).toBe('expired');
    for (const { id } of [no, back, late]) expect(await codeOf(() => approvals.accept(id))).toBe('APPROVAL_ENDED');
    expect(await codeOf(() => approvals.accept('nobody'))).toBe('APPROVAL_UNKNOWN');
    expect(done()).toEqual([]);
  });

  test('tells its page when its time is over', async () => {
    const events = eventsOf((await approvals.ask(REMOVE)).id);
    vi.advanceTimersByTime(APPROVAL_MS);
    expect(events.map(told)).toEqual(['state waiting', 'state expired']);
  });

  test('is bounded in number and size', async () => {
    for (let i = 0; i < APPROVALS_WAITING_MAX; i++) await approvals.ask(REMOVE);
    expect(await codeOf(() => approvals.ask(REMOVE))).toBe('APPROVALS_FULL');
    for (const { id } of approvals.list()) approvals.decline(id);
    expect(await codeOf(() => approvals.ask(add({ args: ['x'.repeat(APPROVAL_BYTES_MAX)] })))).toBe('REQUEST_INVALID');
    for (let i = 0; i < 2 * APPROVALS_ENDED_KEPT; i++) approvals.decline((await approvals.ask(REMOVE)).id);
    expect(approvals.list()).toHaveLength(APPROVALS_ENDED_KEPT);
  });
});

describe('what a person is shown', () => {
  test('is the whole command line, its folder and its variables', async () => {
    const info = await approvals.ask(add({ env: { CITY: { value: 'Bad Ems', secret: false } } }));
    expect(info).toMatchObject({ server: 'files', says: 'add files and run a program of this machine' });
    expect(info.details).toEqual([
      { label: 'run', value: "node 'a b.js'" },
      { label: 'in folder', value: '/home/ann' },
      { label: 'variable', value: "CITY='Bad Ems'" },
    ]);
  });

  test('is the package that is fetched later, whatever is newest by then', async () => {
    control.planned = { name: 'x', fetch: 'npm:@acme/x@1.2.3', commandLine: 'node <@acme/x@1.2.3>' };
    // That the plan is of the very version is tested with a registry, in test/integration/install-approved.test.ts.
    const { id, details } = await approvals.ask({ action: 'install', install: { spec: 'npm:@acme/x' } });
    expect(details[0]).toEqual({ label: 'fetch', value: 'npm:@acme/x@1.2.3' });
    approvals.accept(id);
    expect(control.asked).toEqual(['plan npm:@acme/x exactly', 'install npm:@acme/x@1.2.3']);
  });

  test('is the version of an MCP registry that is shown, with whose it is', async () => {
    const published = {
      name: 'io.acme/x',
      version: '1.2.3',
      place: 'r.example',
      publisher: 'acme.io',
      repository: null,
    };
    control.planned = { name: 'x', fetch: 'npm:@acme/x@1.2.3', published };
    const { id, details } = await approvals.ask({ action: 'install', install: { spec: 'io.acme/x' } });
    expect(details[0]).toEqual({ label: 'from', value: 'io.acme/x 1.2.3 (pinned) at r.example, published by acme.io' });
    approvals.accept(id);
    expect(control.asked).toEqual(['plan io.acme/x exactly', 'install io.acme/x@1.2.3']);
  });

  test('never holds the value of a secret', async () => {
    const asked: ApprovalRequest[] = [
      add({ env: { API_KEY: { value: 'swordfish', secret: true } } }),
      { action: 'set-secret', server: 'weather', secret: { name: 'API_KEY', value: 'swordfish' } },
      {
        action: 'add',
        add: {
          name: 'far',
          url: 'https://far.example/mcp',
          headers: { Authorization: { value: 'swordfish', secret: true } },
          trial: true,
        },
      },
    ];
    for (const request of asked) expect(JSON.stringify(await approvals.ask(request))).not.toContain('swordfish');
    expect(JSON.stringify(approvals.list())).toContain('API_KEY=(a secret, not shown)');
  });

  test('hides nothing that decides what is run', async () => {
    const hidden = { NODE_OPTIONS: { value: '--require /tmp/evil.js', secret: true } };
    expect(await codeOf(() => approvals.ask(add({ env: hidden })))).toBe('INPUT_INVALID');
    const install: ApprovalRequest = { action: 'install', install: { spec: 'weather', env: hidden } };
    expect(await codeOf(() => approvals.ask(install))).toBe('INPUT_INVALID');
    const secret = { name: 'LD_PRELOAD', value: '/tmp/evil.so' };
    expect(await codeOf(() => approvals.ask({ action: 'set-secret', server: 'weather', secret }))).toBe(
      'INPUT_INVALID',
    );
    const seen = await approvals.ask(
      add({ env: { NODE_OPTIONS: { value: '--require /tmp/evil.js', secret: false } } }),
    );
    expect(seen.details.at(-1)?.value).toBe("NODE_OPTIONS='--require /tmp/evil.js'");
    expect(seen.warnings).toHaveLength(1);
  });

  test('hides nothing behind a reference to a secret either', async () => {
    const key = { KEY: { value: '--require /tmp/evil.js', secret: true } };
    const steered = { ...key, NODE_OPTIONS: { value: REFERENCE, secret: false } };
    for (const changes of [
      { env: steered },
      { env: key, args: [`--x=${REFERENCE}`] },
      { env: key, command: REFERENCE },
    ])
      expect(await codeOf(() => approvals.ask(add(changes)))).toBe('INPUT_INVALID');
    for (const install of [{ env: steered }, { env: key, args: [REFERENCE] }]) {
      const request: ApprovalRequest = { action: 'install', install: { spec: 'weather', ...install } };
      expect(await codeOf(() => approvals.ask(request))).toBe('INPUT_INVALID');
    }
    expect((await approvals.ask(add({ env: { ...key, TOKEN: { value: REFERENCE, secret: false } } }))).state).toBe(
      'waiting',
    );
  });

  test('is not asked of him while inputs are missing', async () => {
    const input = { name: 'KEY', description: '', required: true, secret: true, default: null, choices: null };
    control.planned = { inputs: [input] };
    expect(await codeOf(() => approvals.ask({ action: 'install', install: { spec: 'github' } }))).toBe('INPUT_MISSING');
  });
});

describe('the page that asked', () => {
  test('sees the install go on and end', async () => {
    control.installing = async (report) => {
      report({ type: 'step', step: 'trial', detail: '' });
      report({ type: 'done', server: serverStatus('files'), tools: [], durationMs: 1, checkup: null });
    };
    const { id } = await approvals.ask(add());
    const events = eventsOf(id);
    approvals.accept(id);
    await expect.poll(() => approvals.info(id).state).toBe('done');
    expect(events.map(told)).toEqual(['state waiting', 'state running', 'step trial', 'done', 'state done']);
    expect(eventsOf(id).map(told)).toEqual(['step trial', 'done', 'state done']);
  });

  test('sees why an install failed', async () => {
    control.installing = async (report) =>
      report({
        type: 'failed',
        step: 'trial',
        error: { code: 'SERVER_EXITED', what: 'it ended at once' },
        stderrTail: [],
      });
    const { id } = await approvals.ask(add());
    approvals.accept(id);
    await expect.poll(() => approvals.info(id).state).toBe('failed');
    expect(approvals.info(id).error).toEqual({ code: 'SERVER_EXITED', what: 'it ended at once' });
  });

  test('may take back what runs, which is then undone', async () => {
    control.installing = (_, signal) =>
      new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const { id } = await approvals.ask(add());
    approvals.accept(id);
    approvals.withdraw(id);
    await expect.poll(() => approvals.info(id)).toMatchObject({ state: 'failed' });
    expect(approvals.info(id).error?.code).toBe('INSTALL_CANCELLED');
  });
});

describe('a code', () => {
  test('says yes to its own request, once, for a minute', async () => {
    const [first, second] = [await approvals.ask(REMOVE), await approvals.ask(REMOVE)];
    expect(await codeOf(() => approvals.confirm(first.id, ''))).toBe('FORBIDDEN');
    const { code } = approvals.codeFor(first.id);
    expect(code).toMatch(/^\d{4}-\d{4}$/);
    expect(await codeOf(() => approvals.confirm(second.id, code))).toBe('FORBIDDEN');
    expect(approvals.confirm(first.id, ` ${code.replace('-', ' ')}`).state).toBe('running');
    expect(await codeOf(() => approvals.confirm(first.id, code))).toBe('APPROVAL_ENDED');
    const late = approvals.codeFor(second.id).code;
    now += APPROVAL_CODE_MS;
    expect(await codeOf(() => approvals.confirm(second.id, late))).toBe('FORBIDDEN');
    expect(done()).toHaveLength(1);
  });

  test('cannot be guessed: too many wrong ones are a no', async () => {
    const { id } = await approvals.ask(REMOVE);
    const { code } = approvals.codeFor(id);
    const wrong = code === '0000-0000' ? '0000-0001' : '0000-0000';
    for (let i = 0; i < APPROVAL_CODE_TRIES_MAX; i++)
      expect(await codeOf(() => approvals.confirm(id, wrong))).toBe('FORBIDDEN');
    expect(approvals.info(id).state).toBe('declined');
    expect(await codeOf(() => approvals.confirm(id, code))).toBe('APPROVAL_ENDED');
  });
});
