import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openRegistry } from '../../registry/registry.ts';
import { bundled } from '../harness/bundled-source.ts';
import { definitionNo, memoryNo } from './programs/registry-samples.ts';

/** The wider run of `MCPD_TEST_KILLS=200` takes about a minute. */
const KILLS = Number(process.env['MCPD_TEST_KILLS'] ?? 40);

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpd-kill-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Starts the writer at `first`, kills it `afterMs` after its first word (or its start), and gives the last number it had saved, or null. */
async function killedWriter(
  program: string,
  path: string,
  first: number,
  from: 'start' | 'first-save',
  afterMs: number,
): Promise<number | null> {
  const child = spawn(process.execPath, [program, path, String(first)], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  let said = '';
  const spoken = new Promise<void>((resolve) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text;
      resolve();
    });
  });
  if (from === 'first-save') await Promise.race([spoken, ended]);
  await new Promise((resolve) => setTimeout(resolve, afterMs));
  expect(child.exitCode).toBeNull();
  child.kill('SIGKILL');
  await ended;
  return said === '' ? null : Number(said.trimEnd().split('\n').at(-1));
}

/** Every row is whole, and what the writer said it had saved is there. */
function check(path: string, told: number): void {
  const registry = openRegistry({ registry: path });
  try {
    expect(registry.findings()).toEqual([]);
    const numbers = registry.allServers().map(({ description }) => Number(description));
    const memories = registry.allMemories();
    for (const number of numbers) {
      expect(registry.server(definitionNo(number).name)).toEqual(definitionNo(number));
      expect(memories.get(definitionNo(number).name)).toEqual(memoryNo(number));
    }
    expect(memories.size).toBe(numbers.length);
    // What was told last, or what has replaced it since.
    if (told > 0) expect(numbers.some((number) => number % 10 === told % 10 && number >= told)).toBe(true);
    for (const name of registry.allNames()) expect(name.raw).toBe(name.exposed.replace('tool', 'raw'));
    expect(registry.ledger.rows().length).toBeLessThanOrEqual(1 + KILLS);
  } finally {
    registry.close();
  }
}

test(`after each of ${KILLS} SIGKILLs at any moment the registry is whole and has all that was told`, {
  timeout: 300_000,
}, async () => {
  const program = await bundled('test/integration/programs/write-registry.ts', folder);
  const path = join(folder, 'registry.db');
  let told = 0;
  for (let kill = 0; kill < KILLS; kill++) {
    // One number is left out: the writer may have saved it and not told.
    const from = kill % 4 === 0 ? 'start' : 'first-save';
    told = (await killedWriter(program, path, told + 2, from, (kill * 7919) % 97)) ?? told;
    check(path, told);
  }
  expect(told).toBeGreaterThan(KILLS);
});

test('a first start that is killed while it makes the file leaves a home that the next start can open', async () => {
  const program = await bundled('test/integration/programs/write-registry.ts', folder);
  for (let kill = 0; kill < KILLS / 2; kill++) {
    const path = join(folder, `registry-${kill}.db`);
    check(path, (await killedWriter(program, path, 1, 'start', 40 + 4 * kill)) ?? 0);
  }
});
