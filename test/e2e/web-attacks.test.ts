import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { test } from '../harness/machine.ts';
import { attack, attackRaw, rawAttacks, webAttacks } from '../harness/web-attacks.ts';

/** Refused: by its address, its token, its form, or because nothing is there. Or closed without a word. */
const REFUSALS = [0, 400, 401, 403, 404, 405, 415, 421, 431];

test('nothing that a web page elsewhere, a rebound name or a stolen token sends has an effect', async ({ machine }) => {
  await machine.startDaemon();
  const { port } = machine.home;
  const token = readFileSync(join(machine.home.mcpdHome, 'token'), 'utf8').trim();
  const effect = join(machine.home.root, 'pwned');
  for (const each of webAttacks(port, token, effect)) {
    const { status, cors } = await attack(port, each);
    expect(REFUSALS, `${each.what}: ${status}`).toContain(status);
    // A host by HTTP may live in a page of this machine, and its own token is what it needs.
    if (!each.path.startsWith('/mcp')) expect(cors, each.what).toBeNull();
  }
  for (const { what, bytes } of rawAttacks(port, token)) {
    const status = await attackRaw(port, bytes);
    expect(REFUSALS, `${what}: ${status}`).toContain(status);
  }
  expect(existsSync(effect)).toBe(false);
  expect(await machine.servers()).toEqual([]);
  expect(await machine.ok('approve', '--json')).toEqual([]);
});
