import { identifierFault } from '../../../registry/package-names.ts';
import { McpdError } from '../../errors.ts';

/** What a publisher wants between `uvx` and the package. Pure. */

export interface PythonArguments {
  /** What is installed, without its version: `mcp-server-time` or `mcp-server-time[extra]`. */
  requirement: string;
  /** Its version, when `--from` has one of its own; else null. */
  version: string | null;
  /** The program that is started, where it is said; else it is looked for among those of the package. */
  program: string | null;
  /** For `uv tool install`. */
  args: string[];
  warnings: string[];
}

/** `--from PKG==VERSION` says what to install when the program is called otherwise. @throws McpdError PACKAGE_UNSUPPORTED */
export function pythonArguments(identifier: string, words: readonly string[]): PythonArguments {
  const result: PythonArguments = { requirement: identifier, version: null, program: null, args: [], warnings: [] };
  const rest = [...words];
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const [, flag = word, joined] = /^(--[\w-]+)=(.*)$/s.exec(word) ?? [];
    const value = () => joined ?? rest.shift() ?? '';
    if (flag === '--from') {
      const from = FROM.exec(value().trim());
      if (from === null || identifierFault('pypi', from[1] ?? '') !== null) throw unsupported(identifier, word);
      result.requirement = `${from[1]}${from[2] ?? ''}`;
      result.version = from[3] ?? null;
      if (from[1] !== identifier) result.program = identifier;
    } else if (TAKEN.has(flag)) {
      const taken = value();
      if (taken === '' || taken.startsWith('-')) throw unsupported(identifier, word);
      result.args.push(flag === '-p' ? '--python' : flag, taken);
    } else if (!flag.startsWith('-') && result.program === null) {
      // `uvx --from PKG PROGRAM`
      result.program = flag;
    } else if (!NEEDLESS.has(flag)) {
      result.warnings.push(`${word} of its publisher is not used`);
    }
  }
  return result;
}

/** The same words for another version: `--from PKG==1.2` names no version then. */
export function anyVersion(words: readonly string[]): string[] {
  return words.map((word, at) => {
    if (words[at - 1] !== '--from' && !word.startsWith('--from=')) return word;
    return word.replace(/(?:==|@)[^=@]*$/, '');
  });
}

// — internal —

const FROM = /^([A-Za-z0-9][A-Za-z0-9._-]*)(\[[A-Za-z0-9,._-]+\])?(?:(?:==|@)([0-9A-Za-z][0-9A-Za-z.+!_-]*))?$/;
const TAKEN = new Set(['--python', '-p', '--with', '--index', '--index-url', '--extra-index-url', '--prerelease']);
/** What has no meaning where nothing is fetched at a start. */
const NEEDLESS = new Set(['-q', '--quiet', '--refresh', '--isolated', '--no-progress', '-y', '--yes', 'tool', 'run']);

function unsupported(identifier: string, word: string): McpdError {
  return new McpdError('PACKAGE_UNSUPPORTED', {
    what: `pypi:${identifier} cannot be installed as its publisher describes it`,
    why: `"${word.slice(0, 80)}" does not name a package of PyPI`,
    fix: 'install it as its page says, then: mcpd add NAME -- COMMAND',
  });
}
