import { expect, test } from 'vitest';
import type { TryAnswer } from '../api/contract/tries.ts';
import { answering, questionOf } from './try-questions.ts';

const message = (value: object) => [Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...value })}\n`)];

test.each(['javascript:alert(1)', 'file:///etc/passwd', 'not a link', '', 5])(
  'the link %s is shown to nobody',
  (url) => {
    const params = { mode: 'url', message: 'open this', url };
    expect(questionOf(message({ id: 1, method: 'elicitation/create', params }))).toMatchObject({
      refused: expect.stringContaining('http'),
    });
  },
);

test('a link is shown as a browser would read it, and its host by itself', () => {
  const params = { mode: 'url', message: 'open this', url: 'https://bank.example@evil.example:8443/a b' };
  expect(questionOf(message({ id: 1, method: 'elicitation/create', params }))).toEqual({
    mode: 'url',
    message: 'open this',
    url: 'https://bank.example@evil.example:8443/a%20b',
    host: 'evil.example:8443',
  });
});

test('a question that no person could answer is refused by its name', () => {
  expect(questionOf(message({ id: 1, method: 'x/y', params: {} }))).toEqual({
    refused: 'x/y is answered by nobody here',
  });
});

test('the schema of a form comes as it was written, to the last hidden character and digit', () => {
  const line =
    '{"jsonrpc":"2.0","id":1,"method":"elicitation/create","params":{"message":"m","requestedSchema":{"enum":["a\u200b",9007199254740993]}}}';
  const question = questionOf([Buffer.from(line)]);
  expect(question).toMatchObject({ mode: 'form', schema: String.raw`{"enum":["a\u200b",9007199254740993]}` });
});

test('what a model is asked can be read, said in its place by a person, or rejected', () => {
  const params = {
    systemPrompt: 'be short',
    messages: [
      { role: 'user', content: { type: 'text', text: 'hello' } },
      { role: 'user', content: { type: 'image', data: 'AA==', mimeType: 'image/png' } },
    ],
    maxTokens: 50,
  };
  const question = questionOf(message({ id: 1, method: 'sampling/createMessage', params }));
  expect(question).toEqual({
    mode: 'sampling',
    systemPrompt: 'be short',
    messages: [
      { role: 'user', text: 'hello' },
      { role: 'user', text: '{"type":"image","data":"AA==","mimeType":"image/png"}' },
    ],
    maxTokens: 50,
  });
  if ('refused' in question) throw new Error('it was refused');
  const answered = (answer: TryAnswer) =>
    JSON.parse(Buffer.concat(answering('1', question, answer)?.bytes ?? []).toString());
  expect(answered({ action: 'accept', text: 'hi' }).result).toEqual({
    role: 'assistant',
    content: { type: 'text', text: 'hi' },
    model: 'a person',
    stopReason: 'endTurn',
  });
  expect(answered({ action: 'decline' }).error).toMatchObject({ code: -1 });
});
