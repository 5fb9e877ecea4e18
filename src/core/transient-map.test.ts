import fc from 'fast-check';
import { expect, test } from 'vitest';
import { TransientMap } from './transient-map.ts';

test('it holds what a Map would hold, in the same order, however much comes and goes', () => {
  const step = fc.record({ key: fc.nat({ max: 40 }), value: fc.nat(), remove: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 600 }), (steps) => {
      const plain = new Map<number, number>();
      const transient = new TransientMap<number, number>();
      for (const { key, value, remove } of steps) {
        if (remove) expect(transient.delete(key)).toBe(plain.delete(key));
        else {
          plain.set(key, value);
          transient.set(key, value);
        }
        expect(transient.size).toBe(plain.size);
        expect(transient.get(key)).toBe(plain.get(key));
        expect(transient.has(key)).toBe(plain.has(key));
      }
      expect([...transient.values()]).toEqual([...plain.values()]);
    }),
  );
});
