import { createHash, createHmac, randomBytes } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { closest } from '../closest.ts';
import { Gateway } from '../core/gateway.ts';
import type { ExposedName } from '../core/model.ts';
import { START_SLOTS_MIN } from '../limits.ts';
import { VERSION } from '../version.ts';

/** The core, with what it must not get for itself: randomness, digests, the time when it began. */
export function createGateway(names: readonly ExposedName[], generation: string, secret: string): Gateway {
  return new Gateway(
    {
      identity: { name: 'mcpd', title: 'mcpd', version: VERSION },
      startSlots: Math.max(START_SLOTS_MIN, 2 * availableParallelism()),
      random: Math.random,
      generation,
      // The secret outlives the daemon: what an earlier one signed is told from what nobody signed.
      sign: (text) => createHmac('sha256', secret).update(text).digest('base64url'),
      digest: (bytes) => createHash('sha256').update(bytes).digest('hex'),
      closest,
      epochMs: Date.now() - performance.now(),
    },
    names,
  );
}

/** Tells this daemon from all others: hosts see when theirs was replaced, and its processes are known by it. */
export function newGeneration(): string {
  return randomBytes(6).toString('hex');
}
