import { expect, test } from 'vitest';
import { failureOf, withoutQuoted } from './failures.ts';

const of = (error: string) => {
  const bytes = Buffer.from(error);
  return failureOf(bytes, { start: 0, end: bytes.length });
};

test('a message is kept without what it quotes', () => {
  for (const [message, kept] of [
    ['connect ECONNREFUSED 127.0.0.1:5432', 'connect ECONNREFUSED 127.0.0.1:5432'],
    ['no city "Turin" and none "Mi\\"lan"', 'no city "…" and none "…"'],
    ["ENOENT: no such file, open '/home/me/letter'", "ENOENT: no such file, open '…'"],
    ["can't reach the server's database", "can't reach the server's database"],
    ["it said 'I can't' twice", "it said '…' twice"],
    ['unknown `table` and “column” and «row»', 'unknown `…` and “…” and “…”'],
    ['it begins "but does not end', 'it begins "…"'],
  ] as const)
    expect(withoutQuoted(message)).toBe(kept);
});

test('a hostile message costs no time', () => {
  // Of this process alone: what else the machine does is no cost of ours.
  const before = process.cpuUsage();
  for (const part of ['"', "'", '`', '“', "'a", '"\\', " '"]) withoutQuoted(part.repeat(2000));
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(1000);
});

test('an error without a message, or with a very long one, is no reason to read it all', () => {
  expect(of('{"code":-1}')).toBeNull();
  expect(of('{"code":-1,"message":7}')).toBeNull();
  expect(of('{"code":-1,"message":"it \\"is\\" down"}')).toBe('it "is" down');
  expect(of(`{"code":-1,"message":"${'x'.repeat(10_000)}"}`)).toBe('a message of 10002 bytes');
});
