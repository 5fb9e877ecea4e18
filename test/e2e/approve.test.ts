import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { ApprovalEvent, ApprovalInfo } from '../../src/api/contract/approvals.ts';
import { fake } from '../harness/fake.ts';
import { type Machine, test } from '../harness/machine.ts';

/** An open dashboard, as far as it asks. */
class Page {
  readonly #base: string;
  readonly #headers: Record<string, string>;

  constructor({ home }: Machine) {
    this.#base = `http://127.0.0.1:${home.port}/api`;
    const token = readFileSync(join(home.mcpdHome, 'token'), 'utf8').trim();
    this.#headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  }

  post(path: string, body: unknown = {}): Promise<Response> {
    return fetch(`${this.#base}${path}`, { method: 'POST', headers: this.#headers, body: JSON.stringify(body) });
  }

  async asks(body: unknown): Promise<ApprovalInfo> {
    const answer = await this.post('/approvals', body);
    expect(answer.status).toBe(200);
    return (await answer.json()) as ApprovalInfo;
  }

  /** Until the end. */
  async events(id: string): Promise<ApprovalEvent[]> {
    const answer = await fetch(`${this.#base}/approvals/${id}/events`, { headers: this.#headers });
    const lines = (await answer.text()).trim().split('\n');
    return lines.map((line) => JSON.parse(line) as ApprovalEvent);
  }
}

function addition({ home }: Machine, name: string) {
  const [command = '', ...args] = fake('echo');
  const key = { value: 'swordfish', secret: true };
  return { action: 'add', add: { name, command, args, cwd: home.userHome, env: { KEY: key }, trial: true } };
}

test('a server that the page asks for is there when a person has said yes in a terminal', async ({ machine }) => {
  await machine.startDaemon();
  const page = new Page(machine);
  const { id } = await page.asks(addition(machine, 'echo'));
  expect(await machine.servers()).toEqual([]);
  const seen = await machine.cli('approve');
  expect(seen.stdout).toContain(`${id}  The dashboard asks to add echo and run a program of this machine`);
  expect(seen.stdout).toContain(fake('echo').at(-1));
  expect(seen.stdout).toContain('KEY=(a secret, not shown)');
  expect(seen.stdout).not.toContain('swordfish');
  expect((await machine.cli('approve', '--yes')).code).toBe(2);

  const events = page.events(id);
  expect(await machine.ok('approve', id, '--yes', '--json')).toMatchObject({ id, state: 'done', error: null });
  const told = (await events).map((event) => (event.type === 'state' ? event.approval.state : event.event.type));
  expect([told[0], told.at(-2), told.at(-1)]).toEqual(['waiting', 'done', 'done']);
  expect((await machine.servers()).map(({ name }) => name)).toEqual(['echo']);
  expect((await machine.ok('secret', 'list', '--json'))[0]).toMatchObject({ name: 'KEY', state: 'used' });
});

test('a person says no, or says yes by a code in the page', async ({ machine }) => {
  await machine.startDaemon();
  const page = new Page(machine);
  const refused = await page.asks(addition(machine, 'no'));
  expect(await machine.ok('approve', refused.id, '--decline')).toContain('It is declined.');
  expect((await page.post(`/approvals/${refused.id}/accept`)).status).toBe(403);

  const { id } = await page.asks(addition(machine, 'yes'));
  const { code } = await machine.ok('approve', id, '--code', '--json');
  expect((await page.post(`/approvals/${id}/confirm`, { code: '0' })).status).toBe(403);
  expect((await page.post(`/approvals/${id}/confirm`, { code })).status).toBe(200);
  await page.events(id);
  expect((await machine.servers()).map(({ name }) => name)).toEqual(['yes']);
  expect((await machine.cli('approve', id, '--yes', '--json')).json.error.code).toBe('APPROVAL_UNKNOWN');
});

test('a failed install is told to the person and to the page, and nothing waits for ever', async ({ machine }) => {
  await machine.startDaemon();
  const page = new Page(machine);
  const body = addition(machine, 'broken');
  const { id } = await page.asks({ ...body, add: { ...body.add, command: '/nowhere/at-all', args: [] } });
  const answered = await machine.cli('approve', id, '--yes', '--json');
  expect([answered.code, answered.json.error.code]).toEqual([5, 'COMMAND_NOT_FOUND']);
  const [last] = (await page.events(id)).slice(-1);
  expect(last).toMatchObject({ type: 'state', approval: { state: 'failed', error: { code: 'COMMAND_NOT_FOUND' } } });
  expect((await machine.cli('approve')).stderr).toContain('Nothing waits for you');
});
