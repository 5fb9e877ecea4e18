import { expect, test } from 'vitest';
import { untilAborted } from './until-aborted.ts';

test('work that never ends is left when the signal says so, and work that ends gives what it gave', async () => {
  const abort = new AbortController();
  const endless = untilAborted(new Promise(() => {}), abort.signal);
  expect(await untilAborted(Promise.resolve('sunny'), abort.signal)).toBe('sunny');
  await expect(untilAborted(Promise.reject(new Error('no network')), abort.signal)).rejects.toThrow('no network');
  abort.abort(new Error('called off'));
  await expect(endless).rejects.toThrow('called off');
  await expect(untilAborted(new Promise(() => {}), abort.signal)).rejects.toThrow('called off');
});
