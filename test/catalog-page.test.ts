import { expect, test } from 'vitest';
import { loadCatalog } from '../registry/catalog.ts';
import { catalogPage } from './catalog/page.ts';
import { readTrials, untriedBecause } from './catalog/tried.ts';

test('docs/catalog.md is what the catalog and its last check make of it: npm run catalog writes it', async () => {
  await expect(catalogPage(loadCatalog(), readTrials())).toMatchFileSnapshot('../docs/catalog.md');
});

test.each(Object.entries(readTrials()))(
  '%s is in the catalog, and listed its tools when it was tried',
  (name, trial) => {
    const entry = loadCatalog().find((each) => each.name === name) ?? expect.fail(`the catalog has no ${name}`);
    expect(untriedBecause(entry)).toBeNull();
    expect('fault' in trial ? trial.fault : trial.tools).toBeGreaterThan(0);
  },
);
