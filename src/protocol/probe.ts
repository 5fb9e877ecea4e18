import { readDiscoverResult, type ServerGreeting } from './handshake.ts';
import { MODERN_REVISION } from './revisions.ts';

/** What a server made of `server/discover`, before mcpd knows its era. */
export type ProbeOutcome =
  | { kind: 'result'; result: unknown }
  | { kind: 'error'; code: number; data: unknown }
  | { kind: 'exit' }
  | { kind: 'silence' };

export type ProbeVerdict =
  | { verdict: 'modern'; greeting: ServerGreeting }
  /** `initialize` on the same pipe. */
  | { verdict: 'legacy' }
  /** A fresh process, and `initialize` first: a server that dies of the probe is legacy, and its exit is no crash. */
  | { verdict: 'legacy-respawn' }
  /** It refuses a revision that it names as served: the specification has the client choose among those, and ask once more. */
  | { verdict: 'contradictory'; reason: string }
  | { verdict: 'unusable'; reason: string };

const UNSUPPORTED_VERSION = -32_022;
const MODERN_ERRORS: readonly number[] = [-32_020, -32_021, UNSUPPORTED_VERSION];

/**
 * The era of a server. Any error but the three of the modern revision means "legacy": servers answer an unknown method with many codes.
 * @see the specification of 2026-07-28, "Backward compatibility"
 */
export function classifyProbe(outcome: ProbeOutcome): ProbeVerdict {
  switch (outcome.kind) {
    case 'exit':
      return { verdict: 'legacy-respawn' };
    case 'silence':
      return { verdict: 'legacy' };
    case 'error':
      if (!MODERN_ERRORS.includes(outcome.code)) return { verdict: 'legacy' };
      if (outcome.code === UNSUPPORTED_VERSION && servesOnlyOthers(outcome.data)) {
        return supportedLegacy(outcome.data)
          ? { verdict: 'legacy' }
          : { verdict: 'unusable', reason: `it does not serve revision ${MODERN_REVISION}` };
      }
      return {
        verdict: outcome.code === UNSUPPORTED_VERSION ? 'contradictory' : 'unusable',
        reason: `it refused server/discover with error ${outcome.code}`,
      };
    case 'result': {
      const greeting = readDiscoverResult(outcome.result);
      return typeof greeting === 'string' ? { verdict: 'legacy' } : { verdict: 'modern', greeting };
    }
  }
}

// — internal —

function supportedIn(data: unknown): unknown[] {
  const supported = (data as { supported?: unknown } | null | undefined)?.supported;
  return Array.isArray(supported) ? supported : [];
}

function servesOnlyOthers(data: unknown): boolean {
  return !supportedIn(data).includes(MODERN_REVISION);
}

/** Revisions before 2026 have the initialize handshake; dates compare as text. */
function supportedLegacy(data: unknown): boolean {
  return supportedIn(data).some((revision) => typeof revision === 'string' && revision < MODERN_REVISION);
}
