import { expect, test } from 'vitest';
import { classifyProbe } from './probe.ts';

const error = (code: number, data: unknown = null) => classifyProbe({ kind: 'error', code, data });

test('a discover result that names the modern revision is modern', () => {
  const result = {
    supportedVersions: ['2025-11-25', '2026-07-28'],
    capabilities: { tools: {} },
    instructions: 'read me',
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'x' } },
  };
  expect(classifyProbe({ kind: 'result', result })).toEqual({
    verdict: 'modern',
    greeting: {
      protocolVersion: '2026-07-28',
      serverInfo: '{"name":"x"}',
      capabilities: { tools: {} },
      instructions: 'read me',
    },
  });
});

test.each([{ supportedVersions: ['2025-11-25'] }, { supportedVersions: 'all' }, {}, [], null, 'yes', 7])(
  'a result like %j is of no modern server',
  (result) => {
    expect(classifyProbe({ kind: 'result', result })).toEqual({ verdict: 'legacy' });
  },
);

test.each([-32_601, -32_602, -32_600, -32_700, -32_603, -32_000, -32_002, 0, 404])('error %i means legacy', (code) => {
  expect(error(code)).toEqual({ verdict: 'legacy' });
});

test('error -32022 means legacy only when a legacy revision is among those that it names', () => {
  expect(error(-32_022, { supported: ['2025-06-18'] })).toEqual({ verdict: 'legacy' });
  for (const data of [{ supported: ['2027-01-01'] }, { supported: [] }, {}, null, 'x', { supported: 'all' }])
    expect(error(-32_022, data)).toMatchObject({ verdict: 'unusable' });
  expect(error(-32_022, { supported: ['2026-07-28', '2025-06-18'] })).toMatchObject({ verdict: 'contradictory' });
});

test.each([-32_020, -32_021])('error %i is of a modern server that cannot be served', (code) => {
  expect(error(code)).toEqual({ verdict: 'unusable', reason: `it refused server/discover with error ${code}` });
});

test('silence means initialize on the same pipe, an exit means a fresh process', () => {
  expect(classifyProbe({ kind: 'silence' })).toEqual({ verdict: 'legacy' });
  expect(classifyProbe({ kind: 'exit' })).toEqual({ verdict: 'legacy-respawn' });
});
