import { McpdError } from '../errors.ts';
import type { Sdk } from './sdk.ts';

/** What went wrong at an authorization server, in our words. What it says of itself is kept short: it may be a page. */
export function loginFault(sdk: Sdk, thrown: unknown, what: string): McpdError {
  if (thrown instanceof McpdError) return thrown;
  if (thrown instanceof sdk.IssuerMismatchError) return otherIssuer(thrown);
  if (thrown instanceof sdk.RegistrationRejectedError) {
    return new McpdError('LOGIN_FAILED', {
      what: 'the authorization server does not register mcpd',
      why: `status ${thrown.status}: ${shortened(thrown.body)}`,
      fix: 'register mcpd there by hand, then give its id: mcpd auth --help',
    });
  }
  if (thrown instanceof sdk.OAuthError) {
    const why = thrown.message === '' ? thrown.code : `${thrown.code}: ${shortened(thrown.message)}`;
    return new McpdError('LOGIN_FAILED', { what, why });
  }
  return new McpdError('LOGIN_FAILED', { what, why: reasonOf(thrown) });
}

/** A schema's complaint is a page of JSON; its first words say what is wrong. */
export function reasonOf(thrown: unknown): string {
  return shortened(thrown instanceof Error ? thrown.message : String(thrown));
}

// — internal —

const REASON_CHARS = 200;

function shortened(text: string): string {
  return text.replace(/\s+/g, ' ').slice(0, REASON_CHARS);
}

/** RFC 9207: whoever answers must be the one that was asked. Its error, if it brought one, is not shown. */
function otherIssuer({
  expected,
  received,
}: {
  expected: string | undefined;
  received: string | undefined;
}): McpdError {
  return new McpdError('LOGIN_REFUSED', {
    what: 'another authorization server answered than the one that was asked',
    why: `asked was ${expected ?? 'one'}, the answer ${received === undefined ? 'does not say whose it is' : `is from ${received}`}`,
    fix: 'log in again; if it comes again, do not trust this server',
  });
}
