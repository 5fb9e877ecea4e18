import { expect, test } from 'vitest';
import { Slots } from './slots.ts';

test('no more than the count run at once, in order, also after one failed and one left the queue', async () => {
  const slots = new Slots(2);
  const never = new AbortController().signal;
  const begun: number[] = [];
  let running = 0;
  let most = 0;
  const ends: (() => void)[] = [];
  const work =
    (id: number, fails = false) =>
    async () => {
      begun.push(id);
      running += 1;
      most = Math.max(most, running);
      await new Promise<void>((end) => ends.push(end));
      running -= 1;
      if (fails) throw new RangeError('failed');
      return id;
    };
  const leaving = new AbortController();
  const first = slots.run(never, work(1, true));
  const others = [slots.run(never, work(2)), slots.run(leaving.signal, work(3)), slots.run(never, work(4))];
  leaving.abort(new RangeError('left'));
  await expect(others[2 - 1]).rejects.toThrow('left');
  while (begun.length < 3) {
    ends.shift()?.();
    await Promise.resolve();
    await first.catch(() => undefined); // asserted below
  }
  for (const end of ends) end();
  await expect(first).rejects.toThrow('failed');
  expect(await Promise.all([others[0], others[2]])).toEqual([2, 4]);
  expect(begun).toEqual([1, 2, 4]);
  expect(most).toBe(2);
});
