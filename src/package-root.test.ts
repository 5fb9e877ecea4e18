import { join } from 'node:path';
import { expect, test } from 'vitest';
import { packageRoot } from './package-root.ts';

test('the package is found from its source, from dist and from a chunk below it', () => {
  const root = packageRoot();
  for (const file of ['src/package-root.ts', 'dist/mcpd.js', 'dist/chunks/a.js'])
    expect(packageRoot(join(root, file))).toBe(root);
});

test('outside of the package there is none', () => {
  expect(() => packageRoot('/nowhere/at/all.js')).toThrow(RangeError);
});
