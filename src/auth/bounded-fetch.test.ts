import { expect, test } from 'vitest';
import { withinStep } from './bounded-fetch.ts';

test('a step that is called off ends with the reason, also when its work never does', async () => {
  const abort = new AbortController();
  const step = withinStep('the step', abort.signal, () => new Promise(() => {}));
  abort.abort(new Error('called off'));
  await expect(step).rejects.toThrow('called off');
});
