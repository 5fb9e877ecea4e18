import { expect, test } from 'vitest';
import { headerOf } from './header-flags.ts';

test('a header is a name with a value, or a name whose value is asked for', () => {
  expect(headerOf('Authorization: Bearer a:b ')).toEqual({ name: 'Authorization', value: 'Bearer a:b ' });
  expect(headerOf('X-Key:abc')).toEqual({ name: 'X-Key', value: 'abc' });
  expect(headerOf('X-Key')).toEqual({ name: 'X-Key', value: null });
});

test('anything else is refused without being shown', () => {
  for (const word of ['', ': s3cret', 'X-Key:', 'no header s3cret']) {
    expect(() => headerOf(word), word).toThrow(/names no header/);
    expect(() => headerOf(word), word).not.toThrow(/s3cret/);
  }
});
