import { expect, test } from 'vitest';
import type { SearchHit } from '../../../src/api/contract/search.ts';
import type { InstallPlan } from '../../../src/api/contract.ts';
import { planFacts } from './plan-facts.ts';

const HIT: SearchHit = {
  ...{
    name: 'io.github.acme/weather',
    title: 'Weather',
    description: '',
    origin: 'npm:x',
    inputs: [],
    installed: false,
  },
  ...{ source: 'registry', registry: 'https://registry.example/', version: '1.2.0', publisher: 'github.com/acme' },
  ...{ repository: null, licence: 'MIT', kinds: ['npm'], status: 'active', statusMessage: null },
};
const PLAN: InstallPlan = {
  ...{ name: 'weather', description: '', fetch: 'npm:x@1.2.0', inputs: [], commandLine: 'node <x@1.2.0>' },
  ...{
    variables: ['KEY'],
    fileSha256: null,
    integrity: null,
    versionIs: 'exact',
    warnings: [],
    publisher: null,
    published: null,
  },
  choice: null,
};

const factsOf = (hit: Partial<SearchHit>, plan: Partial<InstallPlan>) =>
  Object.fromEntries(planFacts({ ...HIT, ...hit }, { ...PLAN, ...plan }));

test('a package is told with the host it was found at, its exact version and what it is given', () => {
  const input = { name: 'KEY', description: '', required: true, secret: true, default: null, choices: null };
  expect(factsOf({ inputs: [input, { ...input, name: 'UNITS', secret: false, required: false }] }, {})).toMatchObject({
    From: 'registry.example',
    Package: 'npm:x@1.2.0',
    Version: '1.2.0, and no other until you update it',
    Publisher: 'github.com/acme',
    Licence: 'MIT',
    Variables: 'KEY',
    'Asks for': 'KEY (secret), UNITS (optional)',
  });
});

test('a version that floats is told, and so is a server elsewhere, which can change at any time', () => {
  expect(factsOf({}, { fetch: 'oci:acme/x:latest', versionIs: 'floating' })['Version']).toMatch(/^floats/);
  const remote: Partial<InstallPlan> = {
    fetch: null,
    versionIs: 'none',
    commandLine: 'https://acme.example/mcp',
    variables: [],
  };
  expect(factsOf({}, remote)).toMatchObject({
    Package: 'none: it runs elsewhere',
    Version: expect.stringMatching(/^floats: whoever runs it/),
    Integrity: 'nothing is fetched',
    Variables: 'none',
  });
});

test('a published hash is told whole', () => {
  const fileSha256 = 'a'.repeat(64);
  expect(factsOf({}, { fetch: 'mcpb:https://acme.example/x.mcpb', fileSha256 })['Integrity']).toContain(fileSha256);
});
