import { McpdError } from '../src/errors.ts';

/** What `--env` gave: a value, or null for a name whose value is still to be asked for. */
export type GivenVariables = ReadonlyMap<string, string | null>;

/** Values of variables as the daemon takes them. */
export type Variables = Record<string, { value: string; secret: boolean }>;

/** `--env K=V` and `--env K`; the last one of a name counts. @throws McpdError USAGE naming the word */
export function givenVariables(words: readonly string[]): GivenVariables {
  const given = new Map<string, string | null>();
  for (const word of words) {
    const equals = word.indexOf('=');
    const name = equals < 0 ? word : word.slice(0, equals);
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      throw new McpdError('USAGE', {
        // Not the value: it is a secret as likely as not.
        what: `--env ${name}${equals < 0 ? '' : '=…'} names no variable`,
        why: 'a name has letters, digits and _, and begins with no digit',
        fix: '--env NAME=VALUE',
      });
    }
    given.set(name, equals < 0 ? null : word.slice(equals + 1));
  }
  return given;
}

/** Without a person to ask, `--env K` takes the caller's own variable: a value that never stands in a command line. */
export function fromCaller(given: GivenVariables, env: NodeJS.ProcessEnv): GivenVariables {
  return new Map([...given].map(([name, value]) => [name, value ?? env[name] ?? null]));
}
