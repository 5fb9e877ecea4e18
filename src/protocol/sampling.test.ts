import { expect, test } from 'vitest';
import { frameOf, textOf } from '../../test/simulated/messages.ts';
import { join, splice } from './bytes.ts';
import { sampledForServer, samplingForHost } from './sampling.ts';

const text = (words: string) => ({ type: 'text', text: words });
const sound = { type: 'audio', data: 'AA==', mimeType: 'audio/wav' };

/** The messages that a host of this revision is asked to go on from; or the refusal. */
function asked(params: Record<string, unknown>, revision: string): unknown {
  const whole = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params });
  const frame = frameOf(whole);
  if (frame.envelope.kind !== 'request' || frame.envelope.params === null) throw new RangeError('no request');
  const edits = samplingForHost(join(frame.bytes), frame.envelope.params, revision);
  if (!Array.isArray(edits)) return edits;
  const line = textOf(splice(frame.bytes, frame.length, edits, 1e6));
  return edits.length === 0 ? 'as it came' : JSON.parse(line).params.messages;
}

function sampled(content: unknown, revision: string): unknown {
  const frame = frameOf(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { role: 'assistant', content, model: 'm' } }));
  if (frame.envelope.kind !== 'result') throw new RangeError('no result');
  const edits = sampledForServer(join(frame.bytes), frame.envelope.result, revision);
  return edits.length === 0
    ? 'as it came'
    : JSON.parse(textOf(splice(frame.bytes, frame.length, edits, 1e6))).result.content;
}

test('several blocks of one message are several messages for hosts that know one each', () => {
  const messages = [
    { role: 'user', content: [text('a'), text('b')], _meta: { k: 1 } },
    { role: 'assistant', content: text('c') },
    { role: 'user', content: [text('d')] },
    { role: 'user', content: [] },
  ];
  expect(asked({ messages, maxTokens: 5 }, '2025-06-18')).toEqual([
    { role: 'user', content: text('a'), _meta: { k: 1 } },
    { role: 'user', content: text('b'), _meta: { k: 1 } },
    { role: 'assistant', content: text('c') },
    { role: 'user', content: text('d') },
    { role: 'user', content: text('') },
  ]);
  expect(asked({ messages }, '2025-11-25')).toBe('as it came');
  expect(asked({ messages: [{ role: 'user', content: text('a') }] }, '2024-11-05')).toBe('as it came');
});

test('tools are for no host that does not have them', () => {
  const messages = [{ role: 'user', content: text('a') }];
  expect(asked({ messages, tools: [{ name: 't' }] }, '2025-06-18')).toEqual({ refusal: expect.any(String) });
  expect(asked({ messages: [{ role: 'user', content: { type: 'tool_result' } }] }, '2025-06-18')).toEqual({
    refusal: expect.any(String),
  });
  expect(asked({ messages, tools: [] }, '2025-06-18')).toBe('as it came');
  expect(asked({ messages, tools: [{ name: 't' }] }, '2025-11-25')).toBe('as it came');
});

test('a sound is named to a host of 2024-11-05', () => {
  const named = text("[a sound (audio/wav), which this host's protocol revision cannot have]");
  expect(asked({ messages: [{ role: 'user', content: sound }] }, '2024-11-05')).toEqual([
    { role: 'user', content: named },
  ]);
  expect(asked({ messages: [{ role: 'user', content: [sound, text('a')] }] }, '2024-11-05')).toEqual([
    { role: 'user', content: named },
    { role: 'user', content: text('a') },
  ]);
  expect(asked({ messages: [{ role: 'user', content: sound }] }, '2025-03-26')).toBe('as it came');
});

test('what a host answers in several blocks is one block for a server that knows one', () => {
  expect(sampled([text('a')], '2025-06-18')).toEqual(text('a'));
  expect(sampled([text('a'), sound, text('b')], '2025-06-18')).toEqual(text('a\nb'));
  expect(sampled([sound, sound], '2025-06-18')).toEqual(sound);
  expect(sampled([], '2025-06-18')).toEqual(text(''));
  expect(sampled(text('a'), '2025-06-18')).toBe('as it came');
  expect(sampled([text('a'), text('b')], '2025-11-25')).toBe('as it came');
});
