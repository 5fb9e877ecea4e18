import { expect, test } from 'vitest';
import { secretReference, secretsIn } from './secret-references.ts';

test('references to secrets are found wherever they stand', () => {
  expect(secretsIn(`Bearer ${secretReference('A')}/${secretReference('B_2')} \${secret:} \${dataDir}`)).toEqual([
    'A',
    'B_2',
  ]);
});
