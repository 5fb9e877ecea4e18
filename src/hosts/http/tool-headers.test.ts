import { describe, expect, test } from 'vitest';
import { TOOL_HEADERS_MAX } from '../../http-limits.ts';
import { viewOf } from '../../protocol/request-view.ts';
import { messageOf } from './body.ts';
import { decodedValue } from './header-value.ts';
import { headersOfTool, toolHeaderFault } from './tool-headers.ts';

const TOOL = JSON.stringify({
  name: 'query',
  inputSchema: {
    type: 'object',
    properties: {
      region: { type: 'string', 'x-mcp-header': 'Region' },
      limit: { type: 'integer', 'x-mcp-header': 'Limit' },
      options: { type: 'object', properties: { dry: { type: 'boolean', 'x-mcp-header': 'Dry-Run' } } },
      many: { type: 'array', items: { type: 'string', 'x-mcp-header': 'Many' } },
      ratio: { type: 'number', 'x-mcp-header': 'Ratio' },
      text: { type: 'string', 'x-mcp-header': 'no token' },
      plain: { type: 'string' },
    },
  },
});

test('arguments of plain types that are reached by properties alone have headers', () => {
  expect(headersOfTool(TOOL)).toEqual([
    { name: 'Region', path: ['region'], type: 'string' },
    { name: 'Limit', path: ['limit'], type: 'integer' },
    { name: 'Dry-Run', path: ['options', 'dry'], type: 'boolean' },
  ]);
  expect(headersOfTool('{"name":"x"}')).toEqual([]);
});

test('a tool with a flood of them has no more than headers can carry', () => {
  const one = (at: number) => [`a${at}`, { type: 'string', 'x-mcp-header': `H${at}` }];
  const properties = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => one(at)));
  expect(headersOfTool(JSON.stringify({ name: 'x', inputSchema: { properties } }))).toHaveLength(TOOL_HEADERS_MAX);
});

test('whole numbers that differ beyond what JavaScript can tell apart differ', () => {
  const params = '{"name":"query","arguments":{"limit":9007199254740993}}';
  const frame = messageOf([Buffer.from(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`)]);
  if (typeof frame === 'string' || !('envelope' in frame) || frame.envelope.kind !== 'request')
    throw new RangeError('no request');
  const view = viewOf(frame, frame.envelope);
  const fault = (limit: string) => toolHeaderFault(view, new Map([['limit', limit]]), headersOfTool(TOOL));
  expect([fault('9007199254740993'), fault('9007199254740992')?.code]).toEqual([null, -32_020]);
});

describe('the headers of a call', () => {
  const fault = (args: object, headers: Record<string, string>) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'query', arguments: args } };
    const frame = messageOf([Buffer.from(JSON.stringify(body))]);
    if (typeof frame === 'string' || !('envelope' in frame) || frame.envelope.kind !== 'request')
      throw new RangeError('no request');
    const given = new Map(Object.entries(headers));
    return toolHeaderFault(viewOf(frame, frame.envelope), given, headersOfTool(TOOL))?.code ?? null;
  };

  test('must be those of its arguments', () => {
    expect(
      fault({ region: 'eu', limit: 5, options: { dry: true } }, { region: 'eu', limit: '5', 'dry-run': 'true' }),
    ).toBe(null);
    expect(fault({ limit: 42 }, { limit: '42.0' })).toBe(null);
    expect(fault({ region: 'eu' }, { region: 'us' })).toBe(-32_020);
    expect(fault({ limit: 5 }, { limit: '6' })).toBe(-32_020);
    expect(fault({ options: { dry: true } }, { 'dry-run': 'TRUE' })).toBe(-32_020);
  });

  test('are there exactly where the argument is', () => {
    expect(fault({ region: 'eu' }, {})).toBe(-32_020);
    expect(fault({}, { region: 'eu' })).toBe(-32_020);
    expect(fault({ region: null }, {})).toBe(null);
    expect(fault({ plain: 'x' }, { other: 'y' })).toBe(null);
  });

  test('may be written in base64, which must be right', () => {
    expect(fault({ region: 'Hello' }, { region: '=?base64?SGVsbG8=?=' })).toBe(null);
    expect(fault({ region: 'Hello' }, { region: '=?base64?SGVsbG8?=' })).toBe(-32_020);
    expect(fault({ region: 'Hello' }, { region: '=?base64?SGVs!!!bG8=?=' })).toBe(-32_020);
    expect(fault({ region: 'SGVsbG8=' }, { region: 'SGVsbG8=' })).toBe(null);
    expect(fault({ region: '=?base64?SGVsbG8=' }, { region: '=?base64?SGVsbG8=' })).toBe(null);
  });
});

test('a value is plain ASCII, or UTF-8 in base64', () => {
  expect(decodedValue('=?base64?SGVsbG8sIOS4lueVjA==?=')).toBe('Hello, 世界');
  expect(decodedValue('=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?=')).toBe('=?base64?literal?=');
  expect(decodedValue('=?base64??=')).toBe('');
  expect([decodedValue('\u00e9'), decodedValue('a\u0001'), decodedValue('=?base64?/w==?=')]).toEqual([
    null,
    null,
    null,
  ]);
});
