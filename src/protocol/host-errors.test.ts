import { expect, test } from 'vitest';
import { splice } from './bytes.ts';
import { errorEdits } from './host-errors.ts';

function given(error: string, hostRevision: string | null): unknown {
  const bytes = Buffer.from(error);
  const hostEra = hostRevision === '2026-07-28' ? 'modern' : 'legacy';
  const edits = errorEdits(bytes, { start: 0, end: bytes.length }, { hostEra, hostRevision });
  return edits.length === 0
    ? 'as it came'
    : JSON.parse(Buffer.concat(splice([bytes], bytes.length, edits, 1e6)).toString());
}

const open =
  '{"code":-32042,"message":"log in","data":{"elicitations":[{"mode":"url","url":"https://x/1"},{"a":1}],"big":1.0}}';

test('only 2025-11-25 knows the error that sends a person to an address; others are told the address', () => {
  expect(given(open, '2025-11-25')).toBe('as it came');
  for (const revision of ['2024-11-05', '2025-03-26', '2025-06-18', '2026-07-28'])
    expect(given(open, revision)).toEqual({
      code: -32603,
      message: 'log in; open this address, then try again: https://x/1',
      data: { elicitations: [{ mode: 'url', url: 'https://x/1' }, { a: 1 }], big: 1 },
    });
  expect(given('{"code":-32042,"message":"log in"}', '2025-06-18')).toEqual({ code: -32603, message: 'log in' });
});

test('a legacy host is told which capability was missed, under a code that it knows', () => {
  const missing =
    '{"data":{"requiredCapabilities":{"elicitation":{"url":{}},"sampling":{}}},"message":"no","code":-32021}';
  expect(given(missing, '2025-06-18')).toMatchObject({
    code: -32603,
    message: 'no; the server needs a host with the capability elicitation.url, sampling',
  });
  expect(given(missing, '2026-07-28')).toBe('as it came');
  expect(given('{"code":-32021,"message":7,"data":[]}', null)).toEqual({ code: -32603, message: 7, data: [] });
});

test('codes of a negotiation between mcpd and a server reach no host, and a missing resource has two codes', () => {
  for (const code of [-32020, -32022])
    for (const revision of ['2024-11-05', '2026-07-28'])
      expect(given(`{"code":${code},"message":"m","data":{"requested":"x"}}`, revision)).toEqual({
        code: -32603,
        message: 'm',
        data: { requested: 'x' },
      });
  expect(given('{"code":-32002.0,"message":"m"}', '2026-07-28')).toEqual({ code: -32602, message: 'm' });
  expect(given('{"code":-32002,"message":"m"}', '2025-06-18')).toBe('as it came');
  for (const other of ['{"code":-32601}', '{"code":"-32002"}', '{}', '[]', '{"code":null}'])
    expect(given(other, '2026-07-28')).toBe('as it came');
});
