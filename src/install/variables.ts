import { McpdError } from '../errors.ts';

/** Rules for what is handed to a server's process: names of variables, and texts that the system can carry. */

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Variables that make a program run other code than its own. Legitimate when a person sets them; a surprise in a file or a catalog. */
const RISKY = new Set([
  ...['LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES', 'DYLD_LIBRARY_PATH', 'DYLD_FRAMEWORK_PATH'],
  ...[
    'NODE_OPTIONS',
    'NODE_PATH',
    'PYTHONSTARTUP',
    'PYTHONPATH',
    'PYTHONHOME',
    'PERL5OPT',
    'PERL5LIB',
    'RUBYOPT',
    'RUBYLIB',
  ],
  ...[
    'BASH_ENV',
    'ENV',
    'SHELLOPTS',
    'PROMPT_COMMAND',
    'JAVA_TOOL_OPTIONS',
    '_JAVA_OPTIONS',
    'GIT_SSH_COMMAND',
    'PATH',
  ],
]);

export function isVariableName(name: string): boolean {
  return NAME.test(name);
}

/** @throws McpdError INPUT_INVALID */
export function checkVariableName(name: string): void {
  if (isVariableName(name)) return;
  throw new McpdError('INPUT_INVALID', {
    what: `"${name.slice(0, 60)}" cannot be the name of a variable`,
    why: 'names are letters, digits and _, and do not begin with a digit',
    fix: '--env NAME=VALUE',
  });
}

/** No process can be given a text with a NUL: it would be cut there. @throws McpdError INPUT_INVALID */
export function checkNoNul(text: string, where: string): void {
  if (!text.includes('\0')) return;
  throw new McpdError('INPUT_INVALID', {
    what: `${where} holds a NUL character`,
    why: 'programs would read it only up to there',
  });
}

/** Warnings for variables that `origin` (`the catalog`, a file) sets and that change what code runs. */
export function riskyVariables(names: Iterable<string>, origin: string): string[] {
  return [...names]
    .filter((name) => RISKY.has(name.toUpperCase()))
    .map((name) => `${origin} sets ${name}, which can make the server run other code than its own`);
}

const REFERENCE = /\$\{secret:([A-Za-z_][A-Za-z0-9_]*)\}/g;

export function secretReference(name: string): string {
  return `\${secret:${name}}`;
}

/** Names of the secrets that `text` refers to. */
export function secretsIn(text: string): string[] {
  return [...text.matchAll(REFERENCE)].map((match) => match[1] ?? '');
}
