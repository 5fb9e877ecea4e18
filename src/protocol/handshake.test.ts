import { expect, test } from 'vitest';
import {
  discoverResult,
  initializeParams,
  initializeResult,
  modernMeta,
  readDiscoverResult,
  readInitializeResult,
} from './handshake.ts';

const MCPD = { name: 'mcpd', title: 'mcpd', version: '1.2.3' };

test('mcpd declares to hosts all that it can serve over its lifetime, and no callbacks to servers', () => {
  expect(JSON.parse(initializeResult(MCPD, '2025-06-18', { instructions: null, extensions: {} }))).toEqual({
    protocolVersion: '2025-06-18',
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
      logging: {},
    },
    serverInfo: MCPD,
  });
  expect(JSON.parse(initializeParams(MCPD, '{}'))).toEqual({
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: MCPD,
  });
});

test('modern hosts have no logging capability, and find the cache hints', () => {
  const result = JSON.parse(
    discoverResult(MCPD, { instructions: 'words', extensions: { 'x.y/ui': {} } }, 60_000),
  ) as Record<string, unknown>;
  expect(result).toMatchObject({ resultType: 'complete', instructions: 'words', ttlMs: 60_000, cacheScope: 'private' });
  expect(result['capabilities']).not.toHaveProperty('logging');
  expect(result['_meta']).toEqual({ 'io.modelcontextprotocol/serverInfo': MCPD });
});

test('the modern envelope holds what the host said of itself, as raw JSON', () => {
  expect(JSON.parse(modernMeta('{"name":"h"}', '{}', 'error'))).toEqual({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'h' },
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/logLevel': 'error',
  });
  expect(modernMeta('{}', '{}', null)).not.toContain('logLevel');
});

test('a greeting may lack all but its revision', () => {
  expect(readInitializeResult({ protocolVersion: '2024-11-05' })).toEqual({
    protocolVersion: '2024-11-05',
    serverInfo: '{}',
    capabilities: {},
    instructions: null,
  });
  expect(
    readInitializeResult({ protocolVersion: '2025-06-18', capabilities: [], serverInfo: 'x', instructions: '' }),
  ).toMatchObject({ serverInfo: '{}', capabilities: {}, instructions: null });
  expect(readDiscoverResult({ supportedVersions: ['2026-07-28'], _meta: 7 })).toMatchObject({ serverInfo: '{}' });
});

test.each([null, [], 'x', {}, { protocolVersion: 7 }, { protocolVersion: '2026-07-28' }])(
  '%j is no greeting',
  (result) => {
    expect(typeof readInitializeResult(result)).toBe('string');
  },
);
