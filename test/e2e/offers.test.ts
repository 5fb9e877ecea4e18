import { expect } from 'vitest';
import { READINGS_MAX } from '../../src/operation-limits.ts';
import { pathsOf } from '../../src/paths.ts';
import { askLocal } from '../harness/listening-api.ts';
import { test } from '../harness/machine.ts';
import { placeOf, Try, tool } from '../harness/trying.ts';

/** Tools that a server lists only to hosts that can be asked something. */

const ALL = ['elicitation', 'roots', 'sampling'];
const LEGACY = ['--revision', '2025-11-25'];

test('they are listed with what a host must be able to be asked, tried from the page, and refused to the command line by name', async ({
  machine,
}) => {
  await machine.add('any', 'any-revision', LEGACY);
  const tools: { raw: string; onlyFor: string[] | null }[] = await machine.ok('tools', 'any', '--json');
  const onlyFor = (name: string) => tools.find(({ raw }) => raw === name)?.onlyFor;
  expect([onlyFor('echo'), onlyFor('elicit'), onlyFor('roots')]).toEqual([null, ALL, ALL]);
  expect((await machine.server('any')).counts.tools).toBe(tools.length);
  expect(await machine.ok('tools', 'any')).toContain('elicitation, roots, sampling');
  expect(await machine.ok('info', 'any')).toContain('only for hosts with elicitation, roots, sampling');

  const called = await machine.cli('call', 'any__elicit', 'marker=m');
  expect([called.code, called.stderr]).toEqual([3, expect.stringContaining('this command answers no questions')]);

  const one = new Try(placeOf(machine.home), 'any', tool('elicit', { marker: 'who?' }));
  await one.answer((await one.first('question')).id, { action: 'accept', content: { answer: 'ann' } });
  expect(await one.texts()).toEqual(['accept ann']);
});

test('where nobody has seen them mcpd tools says so, and --refresh finds out', async ({ machine }) => {
  await machine.add('any', 'any-revision', LEGACY, ['--no-trial']);
  await machine.reaches('any', 'running');
  expect((await machine.cli('tools', 'any')).stderr).toContain('mcpd tools any --refresh');
  const refreshed = await machine.cli('tools', 'any', '--refresh');
  expect(refreshed.stdout).toContain('elicitation, roots, sampling');
  expect(refreshed.stderr).not.toContain('--refresh');
  expect((await machine.cli('tools', '--refresh')).code).toBe(2);
});

test('a tool that asks in the middle of mcpd call fails with the way to answer it', async ({ machine }) => {
  await machine.add('asks', 'elicits');
  const called = await machine.cli('call', 'asks__order');
  expect([called.code, called.stderr]).toEqual([5, expect.stringContaining('On the page they can be: mcpd dashboard')]);
});

test('whoever asks for one list after the other starts no more processes than a few', async ({ machine }) => {
  await machine.add('slow', 'never-answers', [], ['--no-trial', '--start', 'manual']);
  const asked = Array.from({ length: READINGS_MAX + 1 }, () =>
    askLocal(pathsOf(machine.home.mcpdHome), '/api/servers/slow/offer', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    }),
  );
  const refused = await Promise.race(asked);
  expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('TRIES_FULL')]);
  await machine.ok('down');
  await Promise.allSettled(asked);
});
