import { expect, test } from 'vitest';
import { isNewest, isUnvouched, pinnedSpec, publishedText } from './shown-plan.ts';

const NOTHING = { fetch: null, published: null };
const PUBLISHED = {
  name: 'io.github.acme/weather',
  version: '1.0.0',
  place: 'registry.example.com',
  publisher: 'acme',
  repository: 'https://github.com/acme/weather',
};

test('what was shown is what is installed, whatever is the newest by then', () => {
  expect(pinnedSpec('npm:@acme/x', { ...NOTHING, fetch: 'npm:@acme/x@1.2.3' })).toBe('npm:@acme/x@1.2.3');
  const bundle = { ...NOTHING, fetch: 'mcpb:/x.mcpb#sha256=ab' };
  for (const spec of ['/x.mcpb', 'mcpb:/x.mcpb']) expect(pinnedSpec(spec, bundle)).toBe(bundle.fetch);
  for (const kind of ['pypi:x@1', 'oci:x@sha256:ab', 'docker:x:1', 'nuget:X@1'])
    expect(pinnedSpec(kind, { ...NOTHING, fetch: 'exactly' })).toBe('exactly');
  const repository = { ...NOTHING, fetch: 'git:https://github.com/acme/x#0123' };
  for (const spec of ['https://github.com/acme/x', 'git@github.com:acme/x.git#main', 'git+https://x.test/y'])
    expect([pinnedSpec(spec, repository), isUnvouched(spec, repository)]).toEqual([repository.fetch, true]);
  const plan = { fetch: 'npm:@acme/x@1.2.3', published: PUBLISHED };
  expect(pinnedSpec('io.github.acme/weather', plan)).toBe('io.github.acme/weather@1.0.0');
  expect(pinnedSpec('weather', { ...NOTHING, fetch: 'npm:@acme/x@1.2.3' })).toBe('weather');
});

test('the newest is what nobody named a version, a tag or a branch of', () => {
  const fetches = [
    'npm:x@latest',
    'git:https://x.test/y',
    'npm:x@next',
    'git:https://x.test/y#main',
    'oci:x:latest',
    null,
  ];
  expect(fetches.map((fetch) => isNewest({ fetch }))).toEqual([true, true, false, false, false, false]);
});

test('consent is asked for what only its publisher has looked at', () => {
  expect(isUnvouched('weather', NOTHING)).toBe(false);
  expect(isUnvouched(' NPM:x', NOTHING)).toBe(true);
  expect(isUnvouched('io.github.acme/weather', { fetch: null, published: PUBLISHED })).toBe(true);
});

test('a person reads which version of which server that is, and whose', () => {
  expect(publishedText(PUBLISHED)).toBe(
    'io.github.acme/weather 1.0.0 (pinned) at registry.example.com, published by acme, https://github.com/acme/weather',
  );
  expect(publishedText({ ...PUBLISHED, publisher: null, repository: null })).toBe(
    'io.github.acme/weather 1.0.0 (pinned) at registry.example.com',
  );
});
