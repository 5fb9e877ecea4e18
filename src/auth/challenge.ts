import { namedScopes } from './scopes.ts';

/** What a server says in `WWW-Authenticate` about the login it wants (RFC 6750, RFC 9728 section 5.1). */
export interface BearerChallenge {
  /** Where the server describes itself; not yet looked at. */
  resourceMetadata: string | null;
  /** Scopes that this request needs. */
  scope: string | null;
  /** `invalid_token`, `insufficient_scope`, … */
  error: string | null;
}

/**
 * The first Bearer challenge of the header; all null when there is none. Read by its grammar (RFC 9110, section 11): a header may hold
 * several challenges, and a description may quote what looks like a parameter.
 */
export function bearerChallenge(header: string | null): BearerChallenge {
  const found = header === null ? undefined : challengesOf(header).find(({ scheme }) => scheme === 'bearer');
  const value = (name: string) => found?.parameters.get(name) ?? null;
  return { resourceMetadata: value('resource_metadata'), scope: namedScopes(value('scope')), error: value('error') };
}

// — internal —

interface Challenge {
  /** In lower case. */
  scheme: string;
  /** By name in lower case; of a name that comes twice, the first. */
  parameters: Map<string, string>;
}

const SEPARATORS = /[\s,]*/y;
const TOKEN = /[!#$%&'*+.^_`|~0-9A-Za-z-]+/y;
const PARAMETER_VALUE = /\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]+))/y;
/** Credentials of another kind (`Negotiate abc==`) stand after a scheme in the place of parameters. */
const TOKEN68 = /[ \t]+[A-Za-z0-9._~+/-]+=*(?=\s*(?:,|$))/y;

function challengesOf(header: string): Challenge[] {
  const challenges: Challenge[] = [];
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const match = pattern.exec(header);
    if (match !== null) at = pattern.lastIndex;
    return match;
  };
  for (;;) {
    take(SEPARATORS);
    const word = take(TOKEN)?.[0].toLowerCase();
    // The end, or what is no header of this kind: what was read so far counts.
    if (word === undefined) return challenges;
    const value = take(PARAMETER_VALUE);
    const open = challenges.at(-1);
    if (value === null) {
      challenges.push({ scheme: word, parameters: new Map() });
      take(TOKEN68);
    } else if (open !== undefined && !open.parameters.has(word)) {
      open.parameters.set(word, value[1]?.replace(/\\(.)/g, '$1') ?? value[2] ?? '');
    }
  }
}
