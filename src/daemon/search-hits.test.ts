import { expect, test } from 'vitest';
import { readListing } from '../../registry/official/answers.ts';
import { McpRegistry } from '../../registry/official/client.ts';
import { KeptAnswers } from '../../registry/official/kept-answers.ts';
import { McpdError } from '../errors.ts';
import { installedNames, registryHit, shownAsking } from './search-hits.ts';

const REGISTRY = new McpRegistry('https://r.example', {
  fetch: () => Promise.reject(new TypeError('nothing is asked here')),
  kept: new KeptAnswers('/nowhere'),
  now: () => 0,
});

function hit(members: Record<string, unknown>, installed: string[] = []) {
  const server = { name: 'io.acme/x', version: '1.0.0', description: 'Does x', ...members };
  const listing = readListing({ server }, { name: 'io.acme/x', version: null }, 'r.example');
  return registryHit({ listing, registry: REGISTRY }, new Set(installed));
}

const stdio = { transport: { type: 'stdio' } };

test('a server is shown with what an install would take of it first', () => {
  const packages = [
    { registryType: 'oci', identifier: 'ghcr.io/acme/x:1.0.0', ...stdio },
    { registryType: 'npm', identifier: '@acme/x', version: '1.0.0', ...stdio },
  ];
  const remotes = [{ type: 'streamable-http', url: 'https://x.example/mcp' }];
  expect(hit({ packages, remotes })).toMatchObject({
    ...{ name: 'io.acme/x', version: '1.0.0', registry: 'https://r.example', source: 'registry' },
    ...{ origin: 'npm:@acme/x', kinds: ['npm', 'oci', 'remote'], installed: false },
  });
  expect(hit({ remotes })).toMatchObject({ origin: 'https://x.example/mcp', kinds: ['remote'] });
  expect(hit({ packages: [{ registryType: 'cargo', identifier: 'x', ...stdio }] })).toMatchObject({
    origin: '',
    kinds: [],
  });
});

test('one whose description cannot be read is shown by its name alone', () => {
  const broken = hit({ packages: [{ registryType: 'npm', identifier: '../x', version: '1.0.0', ...stdio }] });
  expect(broken).toMatchObject({ name: 'io.acme/x', title: 'io.acme/x', description: '', kinds: [], origin: '' });
});

test('what is installed is known by its name there, in whichever version', () => {
  const names = installedNames([
    { kind: 'registry', ref: 'io.acme/x@0.9.0', package: null },
    { kind: 'catalog', ref: 'weather', package: null },
    { kind: 'folder', ref: '/home/ann/x' },
  ]);
  expect([...names]).toEqual(['io.acme/x', 'weather']);
  expect(hit({}, [...names]).installed).toBe(true);
});

test('a registry was asked, or could not be and an older answer serves, or there is none', () => {
  const fault = new McpdError('FETCH_FAILED', { what: 'r.example cannot be reached' });
  const asking = { address: 'https://r.example', place: 'r.example', at: 5, fault: null, hasMore: false, warnings: [] };
  expect(shownAsking(asking)).toMatchObject({ state: 'asked', at: 5, error: null });
  expect(shownAsking({ ...asking, fault })).toMatchObject({ state: 'kept', error: { code: 'FETCH_FAILED' } });
  expect(shownAsking({ ...asking, at: null, fault })).toMatchObject({ state: 'unreachable', at: null });
});
