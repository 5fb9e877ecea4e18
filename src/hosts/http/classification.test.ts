import { describe, expect, test } from 'vitest';
import { messageOf } from './body.ts';
import { kindOf } from './classification.ts';
import { readHead } from './head.ts';

const PREFIX = 'io.modelcontextprotocol/';
const MODERN = '2026-07-28';
const ENVELOPE = { [`${PREFIX}protocolVersion`]: MODERN, [`${PREFIX}clientCapabilities`]: {} };

type Headers = Record<string, string>;

/** The kind of a POST; of a refused one its status and code. */
function kind(message: object, headers: Headers = {}): string {
  const frame = messageOf([Buffer.from(JSON.stringify({ jsonrpc: '2.0', ...message }))]);
  if (typeof frame === 'string' || !('envelope' in frame)) throw new RangeError('no message');
  const found = kindOf(readHead(Object.entries(headers).flat()), frame);
  return found.kind === 'refused' ? `${found.problem.status} ${found.problem.code}` : found.kind;
}

const call = (method: string, params?: object) => ({ id: 1, method, ...(params && { params }) });
const modern = (method: string, params: object = {}, meta: object = ENVELOPE) =>
  call(method, { ...params, _meta: meta });
const version = (value: string) => ({ 'MCP-Protocol-Version': value });
const named = (method: string, name?: string): Headers => ({
  ...version(MODERN),
  'Mcp-Method': method,
  ...(name === undefined ? {} : { 'Mcp-Name': name }),
});
const without = (key: string) => Object.fromEntries(Object.entries(ENVELOPE).filter(([one]) => one !== PREFIX + key));
const SESSION = { 'Mcp-Session-Id': 's' };

// biome-ignore format: a table. What is posted, its headers, what it is.
const TABLE: [what: string, message: object, headers: Headers, kind: string][] = [
  ['a handshake begins a session',                        call('initialize'), {}, 'opening'],
  ['also one that names its revision in the head',        call('initialize'), version('2025-06-18'), 'opening'],
  ['also one that names the stateless revision there',    call('initialize'), version(MODERN), 'opening'],
  ['but not within a session',                            call('initialize'), SESSION, '400 -32600'],
  ['a request of a session belongs to it',                call('tools/list'), { ...SESSION, ...version('2025-11-25') }, 'in-session'],
  ['also without a revision',                             call('tools/list'), SESSION, 'in-session'],
  ['a notification as well',                              { method: 'notifications/initialized' }, SESSION, 'in-session'],
  ['and an answer',                                       { id: 1, result: {} }, SESSION, 'in-session'],
  ['a revision that nobody serves is refused',            call('tools/list'), { ...SESSION, ...version('1999-01-01') }, '400 -32022'],
  ['also without a session',                              call('tools/list'), version('1999-01-01'), '400 -32022'],
  ['who names a legacy revision needs a session',         call('tools/list'), version('2025-06-18'), '400 -32600'],
  ['who names nothing is answered as he stands',          call('tools/list'), {}, 'alone'],
  ['and his notifications come to nothing',               { method: 'notifications/initialized' }, {}, 'nothing'],
  ['an answer that nobody asked for is refused',          { id: 1, result: {} }, {}, '400 -32600'],
  ['the stateless revision needs no session',             modern('tools/list'), named('tools/list'), 'modern'],
  ['and passes over one',                                 modern('tools/list'), { ...named('tools/list'), ...SESSION }, 'modern'],
  ['its notifications come to nothing',                   { method: 'notifications/cancelled' }, version(MODERN), 'nothing'],
  ['a head without an envelope lacks it',                 call('tools/list'), named('tools/list'), '400 -32602'],
  ['also in a session',                                   call('tools/list'), { ...named('tools/list'), ...SESSION }, '400 -32602'],
  ['discover without an envelope lacks it',               call('server/discover'), {}, '400 -32602'],
  ['an envelope without a version lacks it',              modern('tools/list', {}, without('protocolVersion')), named('tools/list'), '400 -32602'],
  ['an envelope without capabilities lacks them',         modern('tools/list', {}, without('clientCapabilities')), named('tools/list'), '400 -32602'],
  ['an envelope without a head is a mismatch',            modern('tools/list'), { 'Mcp-Method': 'tools/list' }, '400 -32020'],
  ['so is one that differs from it',                      modern('tools/list'), { ...named('tools/list'), ...version('2025-11-25') }, '400 -32020'],
  ['a revision of the future is not served',              modern('server/discover', {}, { ...ENVELOPE, [`${PREFIX}protocolVersion`]: 'v999' }), { ...named('server/discover'), ...version('v999') }, '400 -32022'],
  ['a method must be in the head',                        modern('tools/list'), version(MODERN), '400 -32020'],
  ['with its own spelling',                               modern('tools/list'), named('TOOLS/LIST'), '400 -32020'],
  ['so must the name of a tool',                          modern('tools/call', { name: 'a' }), named('tools/call'), '400 -32020'],
  ['and be the same',                                     modern('tools/call', { name: 'a' }), named('tools/call', 'b'), '400 -32020'],
  ['blanks around it do not count',                       modern('tools/call', { name: 'a' }), named('tools/call', '  a '), 'modern'],
  ['the URI of a resource is its name',                   modern('resources/read', { uri: 'x://1' }), named('resources/read', 'x://1'), 'modern'],
  ['names that are no ASCII come in base64',              modern('prompts/get', { name: 'é' }), named('prompts/get', '=?base64?w6k=?='), 'modern'],
  ['and are compared decoded',                            modern('prompts/get', { name: '=?base64?w6k=?=' }), named('prompts/get', '=?base64?w6k=?='), '400 -32020'],
  ['bad base64 is a mismatch',                            modern('prompts/get', { name: 'é' }), named('prompts/get', '=?base64?w6k?='), '400 -32020'],
  ['a request without a name is the core’s to refuse',    modern('tools/call'), named('tools/call'), 'modern'],
  ['the stateless revision has no handshake',             modern('initialize'), named('initialize'), '404 -32601'],
  ['no ping',                                             modern('ping'), named('ping'), '404 -32601'],
  ['no level for all',                                    modern('logging/setLevel'), named('logging/setLevel'), '404 -32601'],
  ['and nothing that nobody knows',                       modern('no/such'), named('no/such'), '404 -32601'],
];

describe('a POST', () => {
  test.each(TABLE)('%s', (_, message, headers, expected) => expect(kind(message, headers)).toBe(expected));
});
