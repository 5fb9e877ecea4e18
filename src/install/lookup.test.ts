import { expect, test } from 'vitest';
import type { CatalogEntry } from '../../registry/catalog.ts';
import type { PublishedRemote } from '../../registry/published.ts';
import { temporaryHome } from '../../test/harness/home.ts';
import { originOf } from './lookup.ts';
import { pypiPackages } from './packages/pypi.ts';

const REMOTE: PublishedRemote = { transport: 'auto', url: 'https://x.test/mcp', variables: [], headers: [] };

/** What is said of a server of the catalog with one package of PyPI, on a machine with nothing on its PATH. */
async function choiceWithoutPython(remotes: PublishedRemote[]): Promise<string | null> {
  const home = await temporaryHome();
  const env = async () => ({ PATH: home.folder('empty') });
  const entry: CatalogEntry = {
    ...{ name: 'weather', aliases: [], keywords: [], sharing: 'auto' },
    published: {
      ...{ name: 'com.acme/weather', title: 'Weather', description: '', version: '1', publisher: null },
      ...{ repository: null, websiteUrl: null, licence: null, statusMessage: null, warnings: [], unsupported: [] },
      ...{ status: 'active', remotes },
      packages: [
        {
          ...{ kind: 'pypi', identifier: 'acme-weather', version: '1', registryBaseUrl: null },
          ...{ fileSha256: null, runtimeHint: null, runtimeArguments: [], arguments: [], env: [] },
        },
      ],
    },
  };
  const ports = {
    catalog: () => [entry],
    published: () => Promise.reject(new RangeError('no registry is asked')),
    packages: { pypi: pypiPackages({ execPath: process.execPath, env }) },
  };
  const signal = new AbortController().signal;
  try {
    const origin = await originOf({ kind: 'catalog', name: 'weather' }, null, ports, signal);
    return origin.kind === 'package' ? origin.choice : expect.fail(origin.kind);
  } finally {
    await home.cleanup();
  }
}

test('one package beside a remote is a choice as well: that nothing here runs the package is said', async () => {
  expect(await choiceWithoutPython([REMOTE])).toBe(
    'pypi, though nothing that runs it was found here; --package remote takes another',
  );
});

test('where there is one package and no remote there is nothing to choose', async () => {
  expect(await choiceWithoutPython([])).toBeNull();
});
