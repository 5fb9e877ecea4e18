import { parseArgs } from 'node:util';
import { didYouMean } from '../src/closest.ts';
import { McpdError } from '../src/errors.ts';
import type { Command, Option, Parsed } from './command.ts';

/** Every command understands these. */
const EVERYWHERE: Readonly<Record<string, Option>> = { help: { kind: 'flag', short: 'h', help: 'show this help' } };

/**
 * Reads what stood after the command's name. Everything after the first `--` belongs to somebody else (a server's command line) and is
 * passed on as it is.
 * @throws McpdError USAGE with the nearest option or the command's usage
 */
export function parseCommand(command: Command, typed: readonly string[]): Parsed {
  const argv = command.rewrite?.(typed) ?? typed;
  const dashes = argv.indexOf('--');
  const own = dashes < 0 ? argv : argv.slice(0, dashes);
  const rest = dashes < 0 ? [] : argv.slice(dashes + 1);
  const options = { ...EVERYWHERE, ...command.options };
  const { values, positionals } = parsedBy(command, options, own);
  const parsed = accessTo(values, positionals, rest, options);
  if (!parsed.flag('help')) checkOperands(command, parsed);
  return parsed;
}

/** True when `--flag` (or `--flag=…`) was typed before any `--`; also when the rest of the line makes no sense. */
export function hasFlag(argv: readonly string[], flag: string): boolean {
  const dashes = argv.indexOf('--');
  const own = dashes < 0 ? argv : argv.slice(0, dashes);
  return own.some((word) => word === flag || word.startsWith(`${flag}=`));
}

// — internal —

type Values = Record<string, string | boolean | (string | boolean)[] | undefined>;

function parsedBy(
  command: Command,
  options: Readonly<Record<string, Option>>,
  args: readonly string[],
): { values: Values; positionals: string[] } {
  const config = Object.fromEntries(
    Object.entries(options).map(([name, option]) => [
      name,
      {
        type: option.kind === 'flag' ? ('boolean' as const) : ('string' as const),
        multiple: option.kind === 'values',
        ...(option.short === undefined ? {} : { short: option.short }),
      },
    ]),
  );
  try {
    return parseArgs({ args: [...args], options: config, strict: true, allowPositionals: true });
  } catch (thrown) {
    throw usageError(command, options, args, thrown);
  }
}

function usageError(
  command: Command,
  options: Readonly<Record<string, Option>>,
  args: readonly string[],
  thrown: unknown,
): McpdError {
  const code = (thrown as { code?: unknown }).code;
  const names = Object.keys(options).map((name) => `--${name}`);
  const unknown =
    code === 'ERR_PARSE_ARGS_UNKNOWN_OPTION'
      ? args.find((arg) => arg.startsWith('-') && !knows(options, arg))
      : undefined;
  if (unknown !== undefined) {
    const word = unknown.split('=')[0] ?? unknown;
    return new McpdError('USAGE', {
      what: `mcpd ${command.name} has no option ${word}`,
      why: didYouMean(word, names) ?? `it has ${names.join(', ')}`,
      fix: `mcpd ${command.name} --help`,
    });
  }
  // Of Node's text only the option counts: it names it, with a dash or two, in quotes.
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const name = /'[^']*--([a-z-]+)/.exec(text)?.[1] ?? '';
  const option = options[name];
  if (option === undefined)
    return new McpdError('USAGE', { what: text, fix: `mcpd ${command.name} --help` }, { cause: thrown });
  if (option.kind === 'flag')
    return new McpdError('USAGE', { what: `--${name} takes no value`, fix: `--${name}` }, { cause: thrown });
  const value = option.value ?? 'VALUE';
  return new McpdError(
    'USAGE',
    {
      what: `--${name} needs a value`,
      why: `nothing stands behind it, or what begins with a dash: an option`,
      fix: `--${name} ${value}, or --${name}=${value} for a value with a dash`,
    },
    { cause: thrown },
  );
}

function knows(options: Readonly<Record<string, Option>>, arg: string): boolean {
  const word = arg.split('=')[0] ?? arg;
  if (word.startsWith('--')) return Object.hasOwn(options, word.slice(2));
  return Object.values(options).some((option) => option.short === word[1]);
}

function checkOperands(command: Command, parsed: Parsed): void {
  const { operands, rest } = parsed;
  const { required = false, instead } = command.rest ?? {};
  const { min, max, noun } = command.operands;
  const fail = (what: string) =>
    new McpdError('USAGE', { what, why: `usage: mcpd ${command.usage}`, fix: `mcpd ${command.name} --help` });
  if (operands.length < min) throw fail(`mcpd ${command.name} needs ${noun}`);
  // `mcpd logs "$NAME"` with an empty variable: a word without letters names nothing.
  if (min > 0 && operands.some((word) => word.trim() === ''))
    throw fail(`mcpd ${command.name} needs ${noun}, and got an empty word`);
  const surplus = operands[max];
  if (surplus !== undefined) throw fail(`mcpd ${command.name} does not know what to do with ${surplus}`);
  if (rest.length > 0 && command.rest === undefined) throw fail(`mcpd ${command.name} takes nothing after --`);
  const isReplaced = instead !== undefined && parsed.value(instead) !== undefined && rest.length === 0;
  if ((rest[0] ?? '') === '' && required && !isReplaced)
    throw fail(`mcpd ${command.name} needs ${command.rest?.noun} after --`);
}

function accessTo(
  values: Values,
  operands: readonly string[],
  rest: readonly string[],
  options: Readonly<Record<string, Option>>,
): Parsed {
  const of = (name: string, kind: Option['kind']) => {
    if (options[name]?.kind !== kind) throw new RangeError(`--${name} is not declared as ${kind}`);
    return values[name];
  };
  return {
    operands,
    rest,
    flag: (name) => of(name, 'flag') === true,
    value: (name) => {
      const value = of(name, 'value');
      return typeof value === 'string' ? value : undefined;
    },
    values: (name) => {
      const all = of(name, 'values');
      return Array.isArray(all) ? all.map(String) : [];
    },
  };
}
