import { didYouMean } from './closest.ts';
import { McpdError } from './errors.ts';

/** The error for a name that no server has; `known` are the names that there are. */
export function unknownServer(name: string, known: readonly string[]): McpdError {
  const hint = didYouMean(name, known);
  return new McpdError('SERVER_UNKNOWN', {
    what: `there is no server "${name}"`,
    ...(hint === undefined ? {} : { why: hint }),
    fix: known.length === 0 ? 'mcpd install weather' : 'mcpd list',
  });
}
