import { McpdError } from '../errors.ts';

/** Rules for what is handed to a server's process: names of variables, and texts that the system can carry. */

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

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
