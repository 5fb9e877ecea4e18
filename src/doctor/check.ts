import type { Check } from '../api/contract/health.ts';
import type { McpdError } from '../errors.ts';

/** As in the table of errors. */
const EXIT = { installation: 1, server: 5, daemon: 6, home: 7 } as const;

export function ok(topic: string, text: string): Check {
  return { topic, verdict: 'ok', text, fix: null, exit: null };
}

export function note(topic: string, text: string, fix: string | null = null): Check {
  return { topic, verdict: 'note', text, fix, exit: null };
}

export function warning(topic: string, text: string, fix: string | null): Check {
  return { topic, verdict: 'warning', text, fix, exit: null };
}

/** A failure in the words of an error, with its own exit code. */
export function failureOf(topic: string, error: McpdError): Check {
  return { topic, verdict: 'failure', text: error.message, fix: error.parts.fix ?? null, exit: error.exitCode };
}

export function failure(topic: string, text: string, fix: string | null, area: keyof typeof EXIT): Check {
  return { topic, verdict: 'failure', text, fix, exit: EXIT[area] };
}
