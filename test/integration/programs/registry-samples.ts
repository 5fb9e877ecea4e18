import { fingerprintOf } from '../../../registry/fingerprint.ts';
import { DEFAULT_LIMITS, type ServerDefinition, type ServerMemory, type StdioLaunch } from '../../../src/core/model.ts';

/** Servers come back under the same ten names, each time with another launch, so that rows are replaced as well as added. */
export function definitionNo(number: number): ServerDefinition {
  const launch: StdioLaunch = { kind: 'stdio', command: '/usr/bin/node', args: [String(number)], cwd: null, env: {} };
  return {
    name: `server-${number % 10}`,
    description: String(number),
    launch,
    start: 'on-demand',
    sharing: 'auto',
    enabled: true,
    limits: DEFAULT_LIMITS,
    source: { kind: 'command', ref: String(number) },
    fingerprint: fingerprintOf(launch, null),
    addedAt: number,
  };
}

/** Sizes from nothing to half a megabyte: transactions of one page and of many. */
export function memoryNo(number: number): ServerMemory {
  const entries = Array.from({ length: (number * number) % 60 }, (_, index) =>
    JSON.stringify({ name: `${number}-${index}`, text: 'x'.repeat(8000) }),
  );
  return {
    fingerprint: definitionNo(number).fingerprint,
    era: 'legacy',
    protocolVersion: '2025-06-18',
    serverInfo: '{}',
    capabilities: '{}',
    instructions: String(number),
    variants: [],
    callsBack: false,
    lists: [{ kind: 'tools', entries, findings: [] }],
  };
}
