import { describe, expect, test } from 'vitest';
import { McpdError } from '../../errors.ts';
import { JSON_DEPTH_MAX } from '../../limits.ts';
import { faultOf, placeOf, RemoteFault } from './fault.ts';
import { headerValue } from './header-value.ts';
import { readOutgoing } from './outgoing.ts';
import { waitAsked } from './rate-limit.ts';
import { redirected } from './redirect.ts';
import { pauseMs } from './resuming.ts';
import { jsonRpcErrorIn, statusFault } from './status.ts';

test('values go into headers as they are, or as base64 between marks', () => {
  const table: [string, string][] = [
    ['us-west1', 'us-west1'],
    ['a\tb c', 'a\tb c'],
    ['Hello, 世界', '=?base64?SGVsbG8sIOS4lueVjA==?='],
    [' padded ', '=?base64?IHBhZGRlZCA=?='],
    ['line1\nline2', '=?base64?bGluZTEKbGluZTI=?='],
    ['=?base64?literal?=', '=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?='],
    ['', '=?base64??='],
  ];
  for (const [text, header] of table) expect(headerValue(text)).toBe(header);
});

describe('a redirect', () => {
  const from = new URL('http://a.test/mcp');
  const headers = { authorization: 'x' };
  const to = (location: string | undefined, status = 307, base = from) => redirected(status, location, base, headers);

  test('is followed within the origin, and from http to https of the same host', () => {
    expect(to('/mcp/')).toMatchObject({ url: { href: 'http://a.test/mcp/' }, headers });
    expect(to('https://a.test/mcp', 301)).toMatchObject({ url: { href: 'https://a.test/mcp' }, headers });
    expect(redirected(200, undefined, from, headers)).toBeNull();
  });

  test.each<[string, string | undefined, number]>([
    ['another host', 'http://b.test/mcp', 307],
    ['another port', 'http://a.test:8080/mcp', 307],
    ['https on another port', 'https://a.test:8443/mcp', 308],
    ['a user in the address', 'http://me@a.test/mcp', 307],
    ['another scheme', 'ftp://a.test/mcp', 302],
    ['nowhere', undefined, 307],
    ['what is no address', 'http://', 307],
    ['an answer elsewhere', '/result', 303],
  ])('to %s is refused', (_, location, status) => {
    expect(to(location, status)).toBeInstanceOf(RemoteFault);
  });

  test('from https back to http is refused', () => {
    expect(to('http://a.test/', 307, new URL('https://a.test/mcp'))).toBeInstanceOf(RemoteFault);
  });
});

test('a server that is asked too often is waited for, in seconds or until a date, and not for long', () => {
  const now = Date.parse('2026-01-01T00:00:00Z');
  expect(waitAsked('2', now, 'x')).toBe(2000);
  expect(waitAsked('Thu, 01 Jan 2026 00:00:03 GMT', now, 'x')).toBe(3000);
  expect(waitAsked('Wed, 31 Dec 2025 00:00:00 GMT', now, 'x')).toBe(0);
  expect([waitAsked(undefined, now, 'x'), waitAsked('soon', now, 'x')]).toEqual([1000, 1000]);
  expect(() => waitAsked('3600', now, 'x')).toThrow(/asked again in 3600 s/);
});

test('a stream is opened again when its server says, within bounds', () => {
  expect([null, 0, 500, 10 ** 9].map(pauseMs)).toEqual([1000, 100, 500, 30_000]);
});

test('what is thrown is said in words, and whether it can pass', () => {
  const of = (code: string) => faultOf(Object.assign(new Error('text'), { code }), 'https://x.test/mcp');
  expect(of('ECONNREFUSED').message).toBe(
    'could not reach https://x.test/mcp: connection refused; nothing listens there',
  );
  expect(of('ENOTFOUND').message).toContain('there is no such host');
  expect(of('DEPTH_ZERO_SELF_SIGNED_CERT')).toMatchObject({
    reason: 'tls',
    parts: { fix: expect.stringContaining('NODE_EXTRA_CA_CERTS') },
  });
  expect(of('CERT_HAS_EXPIRED')).toMatchObject({ reason: 'tls', code: 'SERVER_UNREACHABLE' });
  expect(of('HPE_INVALID_CONSTANT')).toMatchObject({ reason: 'not_mcp', isPassing: false });
  expect(of('ECONNRESET')).toMatchObject({ reason: 'cut', isPassing: true, isUnsent: false });
  expect(of('ECONNREFUSED')).toMatchObject({ isPassing: true, isUnsent: true });
  expect(faultOf(new McpdError('SECRET_MISSING', { what: 'no key', fix: 'f' }), 'x')).toMatchObject({
    reason: 'secret_missing',
    parts: { what: 'no key', fix: 'f' },
  });
  expect(placeOf(new URL('https://me:pw@x.test/mcp?api_key=s#y'))).toBe('https://x.test/mcp');
});

test('a status is told with what its body says, unless that is a page', () => {
  expect(statusFault(500, 'x', 'a\n b').message).toBe('x answered 500 Internal Server Error: a b');
  expect(statusFault(404, 'x', '<html>')).toMatchObject({
    message: 'x answered 404 Not Found',
    isPassing: false,
  });
  expect(statusFault(503, 'x', '').isPassing).toBe(true);
  expect(jsonRpcErrorIn(Buffer.from('{"jsonrpc":"2.0",\n"id":1,"error":{"code":1,"message":""}}'))?.envelope.kind).toBe(
    'error',
  );
  for (const body of ['', '{}', '{"error":"x"}', '{"jsonrpc":"2.0","id":1,"result":{}}', '<html>'])
    expect(jsonRpcErrorIn(Buffer.from(body)), body).toBeNull();
});

test('an answer as deep as it may be can go on as a part of a request', () => {
  const deep = `${'['.repeat(JSON_DEPTH_MAX - 1)}${']'.repeat(JSON_DEPTH_MAX - 1)}`;
  const text = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"inputResponses":{"q1":${deep}}}}`;
  expect(readOutgoing([Buffer.from(text)]).kind).toBe('request');
});
