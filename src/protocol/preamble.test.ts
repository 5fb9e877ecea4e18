import { describe, expect, test } from 'vitest';
import { type Control, decodeControl, encodeControl, type Hello, isControlLine } from './preamble.ts';

const hello: Hello = {
  word: 'hello',
  preamble: 1,
  version: '0.1.0',
  pid: 4711,
  host: 'claude-desktop',
  cwd: '/home/ü/a "b"\n',
  resume: {
    initializeParams: '{"protocolVersion":"2025-11-25","capabilities":{},"x":12345678901234567890}',
    protocolVersion: '2025-11-25',
    initialized: true,
    logLevel: 'warning',
    era: 'legacy',
    listDigests: { tools: 'ab12' },
  },
};

const lines: Control[] = [
  hello,
  { ...hello, pid: null, host: null, cwd: null, resume: null },
  { word: 'welcome', preamble: 1, version: '0.2.0', generation: 'g7' },
  { word: 'bye', reason: 'upgrade', text: 'a newer mcpd takes over' },
  { word: 'noise', reason: 'ambiguous-envelope', id: '"a"' },
  { word: 'noise', reason: 'not-json', id: null },
];

const decoded = (control: Control) => decodeControl(encodeControl(control).slice(0, -1));

describe('control lines', () => {
  test.each(lines)('$word comes back as it was written', (control) => {
    expect(decoded(control)).toEqual(control);
  });

  test('a control line is one line, and begins with a byte that no JSON text begins with', () => {
    for (const control of lines) {
      const bytes = Buffer.from(encodeControl(control));
      expect(isControlLine(bytes)).toBe(true);
      expect(bytes.indexOf('\n')).toBe(bytes.length - 1);
      expect(() => JSON.parse(bytes.toString())).toThrow(SyntaxError);
    }
    expect(isControlLine(Buffer.from('{"jsonrpc":"2.0"}'))).toBe(false);
    expect(isControlLine(Buffer.alloc(0))).toBe(false);
  });

  test('a shim that says little is understood', () => {
    expect(decodeControl('!hello {"preamble":1}')).toEqual({
      word: 'hello',
      preamble: 1,
      version: '',
      pid: null,
      host: null,
      cwd: null,
      resume: null,
    });
  });

  test('a newer shim is understood: unknown members and a higher version do no harm', () => {
    const line =
      '!hello {"preamble":9,"version":"9.0.0","pid":1,"host":"h","cwd":"/","moon":true,"resume":{"era":"later"}}';
    expect(decodeControl(line)).toMatchObject({ preamble: 9, host: 'h', resume: { era: null, listDigests: {} } });
  });

  test.each([
    '',
    '!',
    '!hello',
    '!hello null',
    '!hello []',
    '!hello {"preamble":0}',
    '!hello {"preamble":"1"}',
    '!hello {"preamble":1',
    '!later {"preamble":1}',
    'GET / HTTP/1.1',
    '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  ])('%j says nothing', (line) => {
    expect(decodeControl(line)).toBeNull();
  });

  test('initialize params that are no JSON object are not believed', () => {
    const resume = (initializeParams: unknown) =>
      decodeControl(`!hello ${JSON.stringify({ preamble: 1, resume: { initializeParams, initialized: true } })}`);
    expect(resume('{"a":')).toMatchObject({ resume: { initializeParams: null } });
    expect(resume('[]')).toMatchObject({ resume: { initializeParams: null } });
    expect(resume({})).toMatchObject({ resume: { initializeParams: null } });
    expect(resume('{"a":1}')).toMatchObject({ resume: { initializeParams: '{"a":1}' } });
  });

  test.each(['1,"result":{}', 'x', '"a', '{}', 'null', 7])('%j is not taken for an id', (id) => {
    expect(decodeControl(`!noise ${JSON.stringify({ reason: 'not-jsonrpc', id })}`)).toMatchObject({ id: null });
  });
});
