import { posix, win32 } from 'node:path';
import { McpdError } from '../errors.ts';
import { isAbsolute } from './environment.ts';

/** What is found under a path. */
export type PathFinding = 'program' | 'not-executable' | 'folder' | 'missing';

export interface LookupPlace {
  /** The PATH of the server's environment. */
  path: string;
  /** Windows: endings that make a program, `.COM;.EXE;.BAT;.CMD`. */
  pathext: string;
  /** Where a command with a slash, but not absolute, is looked for. */
  cwd: string;
  platform: NodeJS.Platform;
  probe(path: string): PathFinding;
}

export type CommandLookup =
  | { kind: 'found'; path: string }
  | { kind: 'not-executable' | 'folder'; path: string }
  | { kind: 'missing'; lookedIn: string[] };

/** The program that `command` names, as an absolute path. Folders of PATH that are not absolute are passed over: they would depend on the cwd. */
export function resolveCommand(command: string, place: LookupPlace): CommandLookup {
  const windows = place.platform === 'win32';
  const { join, resolve, dirname, delimiter } = windows ? win32 : posix;
  const isPath = windows ? /[\\/:]/.test(command) : command.includes('/');
  const folders = place.path.split(delimiter).filter((folder) => isAbsolute(folder, place.platform));
  const bases = isPath ? [resolve(place.cwd, command)] : folders.map((folder) => join(folder, command));
  let second: CommandLookup | null = null;
  for (const candidate of bases.flatMap((base) => spellings(base, place))) {
    const finding = place.probe(candidate);
    if (finding === 'program') return { kind: 'found', path: candidate };
    if (finding !== 'missing') second ??= { kind: finding, path: candidate };
  }
  // On a PATH a folder of that name is no answer; as a given path it is what was meant.
  if (second !== null && (isPath || second.kind === 'not-executable')) return second;
  return { kind: 'missing', lookedIn: isPath ? bases.map((base) => dirname(base)) : [...new Set(folders)] };
}

/** A command file needs cmd.exe, which reads its line in a way of its own. */
export function isCommandFile(path: string): boolean {
  return /\.(?:cmd|bat)$/i.test(path);
}

/**
 * Arguments for cmd.exe (to be passed on as they are) that start the command file with exactly these arguments. cmd.exe reads the line
 * twice: when it gets it, and when the file hands it on by `%*`. Quotes are escaped as well, so that for cmd.exe nothing is quoted and
 * every special character is taken literally; in `^%NAME^%` it looks for a variable `NAME^`, which does not exist.
 * @throws McpdError INPUT_INVALID a line break, which ends the line for cmd.exe
 */
export function commandFileArgs(file: string, args: readonly string[]): string[] {
  const broken = args.findIndex((arg) => /[\r\n]/.test(arg));
  if (broken >= 0) {
    throw new McpdError('INPUT_INVALID', {
      what: `${file} cannot be started`,
      why: `argument ${broken + 1} has a line break, and Windows cannot pass that to a command file`,
      fix: 'register the program itself (node.exe and the script) instead of its .cmd file',
    });
  }
  const line = [caretEscaped(file), ...args.map((arg) => caretEscaped(caretEscaped(quoted(arg))))].join(' ');
  return ['/d', '/s', '/c', `"${line}"`];
}

// — internal —

function spellings(base: string, { platform, pathext }: LookupPlace): string[] {
  if (platform !== 'win32') return [base];
  const endings = pathext.split(';').filter((ending) => ending.startsWith('.'));
  const named = endings.some((ending) => base.toLowerCase().endsWith(ending.toLowerCase()));
  return named ? [base] : endings.map((ending) => base + ending.toLowerCase());
}

/** As the C runtime reads it: backslashes count only before a quote. */
function quoted(arg: string): string {
  return `"${arg.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\+)$/, '$1$1')}"`;
}

function caretEscaped(text: string): string {
  return text.replace(/[()[\]{}%!^"`'<>&|;,=+~ \t*?]/g, '^$&');
}
