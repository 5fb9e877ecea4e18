import { expect, test } from 'vitest';
import { frameOf, textOf } from '../../test/simulated/messages.ts';
import { splice } from './bytes.ts';
import {
  metaEdit,
  missingInEnvelope,
  NO_ENVELOPE,
  progressTokenOf,
  readModernEnvelope,
  traceparentOf,
} from './meta.ts';
import { type RequestView, viewOf } from './request-view.ts';

const KEY = 'io.modelcontextprotocol/';

/** A request with these params as text; null for none. */
function request(params: string | null): RequestView {
  const frame = frameOf(`{"jsonrpc":"2.0","id":1,"method":"m"${params === null ? '' : `,"params":${params}`}}`);
  if (frame.envelope.kind !== 'request') throw new RangeError('no request');
  return viewOf(frame, frame.envelope);
}

type Era = 'legacy' | 'modern';

/** The params after the edit; null when there was none to make. */
function edited(
  params: string | null,
  from: Era,
  to: Era,
  progressToken: string | null = null,
  tasks: 'pass' | 'drop' | 'declare' = 'drop',
): string | null {
  const view = request(params);
  const edit = metaEdit(view, {
    from,
    to,
    progressToken,
    clientInfo: '{"name":"h"}',
    capabilities: '{}',
    logLevel: null,
    tasks,
    marked: 's',
  });
  if (edit === null) return null;
  const text = textOf(splice(view.frame.bytes, view.frame.length, [edit], 1 << 20));
  expect(() => JSON.parse(text)).not.toThrow();
  return /"params":(.*)\}\n$/s.exec(text)?.[1] ?? '';
}

const ENVELOPE = `"${KEY}protocolVersion":"2026-07-28","${KEY}clientInfo":{"name":"h"},"${KEY}clientCapabilities":{}`;

test.each([
  [null, `{"_meta":{${ENVELOPE}}}`],
  ['{}', `{"_meta":{${ENVELOPE}}}`],
  ['{ "a":1}', `{"_meta":{${ENVELOPE}}, "a":1}`],
  ['{"a":1,"_meta":{}}', `{"a":1,"_meta":{${ENVELOPE}}}`],
  ['{"_meta":{"x":1.0}}', `{"_meta":{"x":1.0,${ENVELOPE}}}`],
  ['{"_meta":null}', `{"_meta":{${ENVELOPE}}}`],
  [`{"_meta":{"${KEY}clientInfo":{"name":"false"}}}`, `{"_meta":{${ENVELOPE}}}`],
])('params %s of a legacy host become %s for a modern server', (params, expected) => {
  expect(edited(params, 'legacy', 'modern')).toBe(expected);
});

test.each([
  [`{"_meta":{${ENVELOPE},"traceparent":"t"}}`, '{"_meta":{"traceparent":"t"}}'],
  [`{"_meta":{${ENVELOPE}},"a":1}`, '{"_meta":{},"a":1}'],
  [
    `{"_meta":{"${KEY}logLevel":"info","${KEY}related-task":{"taskId":"1"}}}`,
    `{"_meta":{"${KEY}related-task":{"taskId":"1"}}}`,
  ],
])('params %s of a modern host become %s for a legacy server', (params, expected) => {
  expect(edited(params, 'modern', 'legacy')).toBe(expected);
});

test('where nothing must change nothing is touched', () => {
  expect(edited(null, 'legacy', 'legacy')).toBeNull();
  expect(edited('{"_meta":{"x":1}}', 'legacy', 'legacy')).toBeNull();
  expect(edited(`{"_meta":{${ENVELOPE}}}`, 'modern', 'modern')).toBeNull();
});

test('a progress token is replaced wherever it stands, and every time it stands there', () => {
  expect(edited('{"_meta":{"progressToken":"t","x":1}}', 'legacy', 'legacy', '7')).toBe(
    '{"_meta":{"progressToken":7,"x":1}}',
  );
  expect(edited(`{"_meta":{${ENVELOPE},"progressToken":1}}`, 'modern', 'modern', '7')).toBe(
    `{"_meta":{${ENVELOPE},"progressToken":7}}`,
  );
  expect(edited('{"_meta":{"progressToken":1,"progressToken":2}}', 'legacy', 'legacy', '7')).toBe(
    '{"_meta":{"progressToken":7,"progressToken":7}}',
  );
});

test('of the capabilities of a modern host the tasks extension is left out where the server has none, and nothing else', () => {
  const meta = (extensions: string) =>
    `{"_meta":{"${KEY}clientCapabilities":{"a":1.0, "extensions":${extensions},"b":[]}}}`;
  expect(edited(meta(`{"${KEY}tasks":{},"x":{}}`), 'modern', 'modern')).toBe(meta('{"x":{}}'));
  expect(edited(meta(`{"x":{ }, "${KEY}tasks":{}}`), 'modern', 'modern')).toBe(meta('{"x":{ }}'));
  expect(edited(meta('{"x":{}}'), 'modern', 'modern')).toBeNull();
  expect(edited(meta(`{"${KEY}tasks":{}}`), 'modern', 'modern', null, 'pass')).toBeNull();
});

test('the capabilities of a modern host are replaced where the tasks extension is declared in its stead', () => {
  const meta = (capabilities: string) => `{"_meta":{"${KEY}clientCapabilities":${capabilities},"x":1}}`;
  expect(edited(meta('{"roots":{}}'), 'modern', 'modern', null, 'declare')).toBe(meta('{}'));
});

test('a request that belongs to a task names it as the server does', () => {
  const related = (id: string) => `{"_meta":{"${KEY}related-task":{ "taskId":${id}, "x":1.0}}}`;
  expect(edited(related('"s~t\\u0031"'), 'legacy', 'legacy')).toBe(related('"t1"'));
  expect(edited(related('"another~t1"'), 'legacy', 'legacy')).toBeNull();
});

test('the envelope tells a modern request, and what it lacks', () => {
  expect(readModernEnvelope(request(null))).toBeNull();
  expect(readModernEnvelope(request('{"_meta":{"progressToken":1}}'))).toBeNull();
  expect(readModernEnvelope(request(`{"_meta":{${ENVELOPE},"${KEY}logLevel":"info"}}`))).toEqual({
    protocolVersion: '2026-07-28',
    clientInfo: '{"name":"h"}',
    capabilities: '{}',
    logLevel: 'info',
  });
  const odd = readModernEnvelope(request(`{"_meta":{"${KEY}protocolVersion":7}}`));
  expect(missingInEnvelope(odd ?? NO_ENVELOPE)).toEqual([`${KEY}protocolVersion`, `${KEY}clientCapabilities`]);
});

test('the same envelope at another place, and another one of the same length, are read as what they are', () => {
  const meta = (version: string) => `{"${KEY}protocolVersion":"${version}","${KEY}clientCapabilities":{},"x":1}`;
  for (const [before, version] of [
    ['', '2026-07-28'],
    ['"a":1,', '2026-07-28'],
    ['"name":"b",', '2026-07-28'],
    ['"a":1,', '2026-07-29'],
    ['', '2026-07-29'],
  ]) {
    const params = `{${before}"_meta":${meta(version ?? '')}}`;
    expect(readModernEnvelope(request(params))?.protocolVersion).toBe(version);
    expect(edited(params, 'modern', 'legacy')).toBe(`{${before}"_meta":{"x":1}}`);
  }
});

test.each([
  ['{"_meta":{"progressToken":"a\\u0062"}}', '"a\\u0062"'],
  ['{"_meta":{"progressToken":-1.5e3}}', '-1.5e3'],
  ['{"_meta":{"progressToken":null}}', null],
  ['{"_meta":{"progressToken":{}}}', null],
  ['{"_meta":[]}', null],
  ['{}', null],
])('the progress token of %s is %j, as it was written', (params, token) => {
  expect(progressTokenOf(request(params))).toBe(token);
});

const TRACE = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

test('the trace that a host is in is read from its request, and goes on to the server as it came', () => {
  expect(traceparentOf(request(`{"_meta":{"traceparent":"${TRACE}","progressToken":1}}`))).toBe(TRACE);
  expect(edited(`{"_meta":{"traceparent":"${TRACE}"}}`, 'legacy', 'legacy')).toBeNull();
});

test.each([
  ['null', null],
  ['{}', '{}'],
  ['no text', '{"_meta":{"traceparent":{}}}'],
  ['too short', '{"_meta":{"traceparent":"00-1-2-01"}}'],
  ['another version', `{"_meta":{"traceparent":"01${TRACE.slice(2)}"}}`],
  ['no trace', `{"_meta":{"traceparent":"00-${'0'.repeat(32)}-b7ad6b7169203331-01"}}`],
  ['capitals', `{"_meta":{"traceparent":"${TRACE.toUpperCase()}"}}`],
])('what is no trace context is passed over: %s', (_, params) => {
  expect(traceparentOf(request(params))).toBeNull();
});
