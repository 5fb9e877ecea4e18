import { describe, expect, test } from 'vitest';
import type { Published, PublishedPackage, PublishedRemote } from '../../registry/published.ts';
import { McpdError } from '../errors.ts';
import { choose } from './choice.ts';

type Kind = PublishedPackage['kind'];

const pack = (kind: Kind, identifier = kind): PublishedPackage => ({
  ...{ kind, identifier, version: '1.0.0', registryBaseUrl: null, fileSha256: null },
  ...{ runtimeHint: null, runtimeArguments: [], arguments: [], env: [] },
});
const REMOTE: PublishedRemote = { transport: 'auto', url: 'https://x.test/mcp', variables: [], headers: [] };
const published = (kinds: readonly Kind[], remotes: PublishedRemote[] = []): Published => ({
  ...{ name: 'io.acme/x', title: 'X', description: '', version: '1', publisher: null, repository: null },
  ...{ websiteUrl: null, licence: null, status: 'active', statusMessage: null, warnings: [], unsupported: [] },
  ...{ packages: kinds.map((kind) => pack(kind)), remotes },
});
const taken = (server: Published, lacking: Kind[] = [], wanted: string | null = null) => {
  const choice = choose(server, { lacking: new Set(lacking), wanted });
  return [choice.taken === undefined || 'remote' in choice.taken ? 'remote' : choice.taken.package.kind, choice.why];
};

describe('of several packages', () => {
  test('the one that needs least is taken, and another can be named', () => {
    expect(taken(published(['oci', 'pypi']))).toEqual(['pypi', 'pypi, which needs least; --package oci takes another']);
    expect(taken(published(['oci', 'npm'], [REMOTE]))).toEqual([
      'npm',
      'npm, which needs least; --package oci|remote takes another',
    ]);
  });

  test('the first that this machine can run is taken, and the plan says what the others lack', () => {
    expect(taken(published(['pypi', 'oci']), ['pypi'])).toEqual([
      'oci',
      'oci, as this machine cannot run pypi (no uv or Python 3); --package pypi takes another',
    ]);
    expect(taken(published(['pypi', 'oci', 'nuget']), ['pypi', 'oci'])[1]).toBe(
      'nuget, as this machine cannot run pypi (no uv or Python 3) and oci (no docker or podman); --package pypi|oci takes another',
    );
  });

  test('the first is taken where none can run, so that a person is told what to install', () => {
    expect(taken(published(['oci', 'pypi']), ['pypi', 'oci'])).toEqual([
      'pypi',
      'pypi, though nothing that runs it was found here; --package oci takes another',
    ]);
  });

  test('the one that a person names is taken, whatever is missing', () => {
    expect(taken(published(['npm', 'oci'], [REMOTE]), ['oci'], 'oci')).toEqual(['oci', 'oci, as asked for']);
    expect(taken(published(['npm'], [REMOTE]), [], 'remote')).toEqual(['remote', 'remote, as asked for']);
  });
});

test('where there is one way, nothing was chosen', () => {
  expect(taken(published(['pypi']), ['pypi'])).toEqual(['pypi', null]);
  expect(taken(published([], [REMOTE]))).toEqual(['remote', null]);
});

test('a wish that cannot be met names what there is', () => {
  const refused = (server: Published, wanted: string | null) => {
    try {
      return taken(server, [], wanted);
    } catch (error) {
      return error instanceof McpdError ? error.parts : null;
    }
  };
  expect(refused(published(['npm', 'oci']), 'pypi')).toEqual({
    ...{ what: 'X is not published as pypi', why: 'it has npm, oci', fix: '--package npm' },
  });
  expect(refused(published([]), null)).toMatchObject({ what: 'X has nothing that mcpd can install' });
});
