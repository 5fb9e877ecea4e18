import { DEFAULT_LIMITS, type ServerStatus } from '../../src/core/model.ts';

/** What is shown of a server that was added and never started. It needs nothing of Node, so that tests of the page can import it. */
export function serverStatus(name: string, changes: Partial<ServerStatus> = {}): ServerStatus {
  return {
    name,
    description: `the ${name} server`,
    start: 'on-demand',
    sharing: 'auto',
    enabled: true,
    wanted: 'down',
    wantedReason: null,
    state: 'stopped',
    reason: null,
    fix: null,
    health: 'unknown',
    findings: [],
    since: 1_700_000_000_000,
    pid: null,
    instances: [],
    era: null,
    protocolVersion: null,
    openCalls: 0,
    calls: 0,
    errors: 0,
    starts: 0,
    lastExit: null,
    nextStartAt: null,
    counts: { tools: 0, prompts: 0, resources: 0, templates: 0 },
    listed: false,
    source: { kind: 'command', ref: 'node x' },
    launch: { kind: 'stdio', command: 'node', args: ['x'], cwd: null, env: {} },
    limits: DEFAULT_LIMITS,
    fingerprint: '0',
    addedAt: 1_700_000_000_000,
    ...changes,
  };
}
