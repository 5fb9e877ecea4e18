import { expect, test } from 'vitest';
import { frameOf } from '../../test/simulated/messages.ts';
import type { Frame } from './frame.ts';
import { text } from './members.ts';
import { param, viewOf } from './request-view.ts';

/** A request with these params, cut into chunks of so many bytes. */
function view(params: string, chunkBytes = Number.MAX_SAFE_INTEGER) {
  const { envelope, length, bytes } = frameOf(`{"jsonrpc":"2.0","id":1,"method":"m"${params}}`);
  if (envelope.kind !== 'request') throw new RangeError('no request');
  const whole = Buffer.concat(bytes as Buffer[]);
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += chunkBytes) chunks.push(whole.subarray(at, at + chunkBytes));
  const frame: Frame = { bytes: chunks, length, envelope, view: null };
  return viewOf(frame, envelope);
}

test('the members of params are found with their places, wherever the line is cut, and no deeper', () => {
  for (const chunkBytes of [1, 7, 1000]) {
    const seen = view(',"params":{"name":"a","arguments":{"name":"b"},"n\\u0061":1}', chunkBytes);
    expect(seen.params.map(({ key }) => key)).toEqual(['name', 'arguments', 'na']);
    const name = param(seen, 'name');
    expect(name === null ? null : text(seen.bytes, name)).toBe('"a"');
    expect(param(seen, 'other')).toBeNull();
  }
});

test.each(['', ',"params":[]', ',"params":[{"name":"a"}]'])('params like %j have no members', (params) => {
  expect(param(view(params), 'name')).toBeNull();
});
