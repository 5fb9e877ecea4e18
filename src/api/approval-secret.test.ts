import { beforeEach, describe, expect, test } from 'vitest';
import { PlainControl } from '../../test/harness/plain-control.ts';
import { serverStatus } from '../../test/harness/server-status.ts';
import type { StdioLaunch } from '../core/model.ts';
import { secretReference } from '../secret-references.ts';
import { Approvals } from './approvals.ts';
import type { ApprovalRequest } from './contract/approvals.ts';

const REFERENCE = secretReference('KEY');
let control: PlainControl;
let approvals: Approvals;

beforeEach(() => {
  control = new PlainControl('weather');
  approvals = new Approvals(control);
});

describe('a new value for a secret', () => {
  const SET: ApprovalRequest = { action: 'set-secret', server: 'weather', secret: { name: 'KEY', value: 'swordfish' } };
  const launchedBy = (changes: Partial<StdioLaunch>) => {
    const launch: StdioLaunch = { kind: 'stdio', command: 'node', args: ['x.js'], cwd: null, env: {}, ...changes };
    control.known.set('weather', serverStatus('weather', { launch }));
  };

  test('is shown with where the launch of its server uses it', async () => {
    launchedBy({ env: { API_KEY: REFERENCE, HEADER: `Bearer ${REFERENCE}`, OTHER: 'x' } });
    expect((await approvals.ask(SET)).details).toEqual([
      { label: 'used in variable', value: `API_KEY=${REFERENCE}` },
      { label: 'used in variable', value: `HEADER=Bearer ${REFERENCE}` },
      { label: 'run', value: 'node x.js' },
    ]);
    const launch = { kind: 'http' as const, url: 'https://far.example/mcp', headers: { Authorization: REFERENCE } };
    control.known.set('weather', serverStatus('weather', { launch: { ...launch, transport: 'auto' } }));
    expect((await approvals.ask(SET)).details).toEqual([
      { label: 'used in header', value: `Authorization=${REFERENCE}` },
      { label: 'reach', value: 'https://far.example/mcp' },
    ]);
  });

  test.each<[string, Partial<StdioLaunch>]>([
    [
      'a variable that loads code',
      { env: { API_KEY: REFERENCE, NODE_OPTIONS: `--max-old-space-size=99 ${REFERENCE}` } },
    ],
    ['the path of the program', { env: { Path: REFERENCE } }],
    ['an argument', { args: ['x.js', `--key=${REFERENCE}`] }],
    ['the command', { command: `/opt/${REFERENCE}` }],
    ['the folder', { cwd: `/opt/${REFERENCE}` }],
  ])('is refused where it is used in %s, and the CLI is named', async (_, launch) => {
    launchedBy(launch);
    await expect(approvals.ask(SET)).rejects.toMatchObject({
      code: 'INPUT_INVALID',
      parts: { fix: 'mcpd secret set weather KEY' },
    });
    expect(approvals.list()).toEqual([]);
  });

  test('is not kept when the server was installed again meanwhile, with another use of it', async () => {
    launchedBy({ env: { API_KEY: REFERENCE } });
    const { id } = await approvals.ask(SET);
    launchedBy({ env: { NODE_OPTIONS: REFERENCE } });
    approvals.accept(id);
    await expect.poll(() => approvals.info(id).state).toBe('failed');
    expect(approvals.info(id).error).toMatchObject({ code: 'INPUT_INVALID', fix: 'mcpd secret set weather KEY' });
    expect(control.asked).toEqual([]);
  });

  test('is refused for a server that is not there', async () => {
    await expect(approvals.ask({ ...SET, server: 'gone' })).rejects.toMatchObject({ code: 'SERVER_UNKNOWN' });
  });
});
