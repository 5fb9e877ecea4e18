import { expect, test } from 'vitest';
import { SHIM_QUESTIONS_MAX } from '../../src/limits.ts';
import type { Bytes } from '../../src/protocol/frame.ts';
import { answerLine, type HostLine, ownLine } from './host-line.ts';
import { Outbound } from './outbound.ts';
import { Questions } from './questions.ts';

const parsed = (bytes: Bytes | undefined) => JSON.parse(Buffer.concat(bytes ?? []).toString());
const id = (number: number) => `"mcpd-g1-${number}"`;

/** A socket that takes lines, or does not. */
function stream(takes: boolean) {
  const texts: string[] = [];
  return {
    texts,
    writableLength: takes ? 0 : 1,
    write: (chunk: Uint8Array) => {
      texts.push(Buffer.from(chunk).toString());
      return takes;
    },
    cork: () => {},
    uncork: () => {},
  };
}

test('an answer counts once, however the host spells the id', () => {
  const questions = new Questions();
  expect(questions.asked(id(1))).toBeNull();
  expect(questions.answered(String.raw`"mcpd\u002dg1-1"`)).toBe(true);
  expect(questions.answered(id(1))).toBe(false);
});

test('one question more than fits is refused towards the daemon and not asked', () => {
  const questions = new Questions();
  for (let i = 0; i < SHIM_QUESTIONS_MAX; i++) expect(questions.asked(id(i))).toBeNull();
  const late = questions.asked(id(SHIM_QUESTIONS_MAX));
  expect(parsed(late?.bytes)).toMatchObject({
    id: `mcpd-g1-${SHIM_QUESTIONS_MAX}`,
    error: { code: -32603, data: { reason: 'questions-full' } },
  });
  expect(questions.lost()).toHaveLength(SHIM_QUESTIONS_MAX);
  expect(questions.asked('"mcpd-g2-1"')).toBeNull();
});

test('a host that has closed its end is asked nothing more, and the daemon need not wait for it', () => {
  const questions = new Questions();
  questions.asked(id(1));
  expect(questions.hostEnded().map((line) => parsed(line.bytes))).toMatchObject([
    { id: 'mcpd-g1-1', error: { code: -32603, data: { reason: 'stdin-closed' } } },
  ]);
  expect(questions.open).toBe(false);
  expect(parsed(questions.asked(id(2))?.bytes)).toMatchObject({ id: 'mcpd-g1-2', error: { code: -32603 } });
  expect(questions.lost()).toEqual([]);
});

test('an answer that still waits for its daemon when that is lost does not go to the next one', () => {
  const handed: HostLine[] = [];
  const outbound = new Outbound((line) => handed.push(line));
  const dead = stream(false);
  outbound.connect(dead);
  outbound.trust();
  const request = (number: number) => ownLine(`{"jsonrpc":"2.0","id":${number},"method":"ping"}`, String(number));
  const answer = (length: number) => answerLine(`{"jsonrpc":"2.0","id":${id(1)},"result":"${'x'.repeat(length)}"}`);
  for (const line of [request(1), answer(1), request(2), answer(100_000)]) {
    outbound.push(line);
    outbound.flush();
  }
  outbound.disconnect([]);
  const next = stream(true);
  outbound.connect(next);
  outbound.trust();
  expect(next.texts.join('').trim()).toBe('{"jsonrpc":"2.0","id":2,"method":"ping"}');
  expect(outbound.bytes).toBe(0);
});

test('nor does one whose newline has not left', () => {
  const outbound = new Outbound(() => {});
  outbound.connect(stream(false));
  outbound.trust();
  outbound.push(answerLine(`{"jsonrpc":"2.0","id":${id(1)},"result":"${'x'.repeat(100_000)}"}`));
  outbound.flush();
  outbound.disconnect([]);
  const next = stream(true);
  outbound.connect(next);
  outbound.trust();
  expect([next.texts, outbound.bytes]).toEqual([[], 0]);
});
