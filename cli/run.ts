import { didYouMean } from '../src/closest.ts';
import { asMcpdError, McpdError } from '../src/errors.ts';
import { VERSION } from '../src/version.ts';
import { hasFlag, parseCommand } from './args.ts';
import type { Command } from './command.ts';
import type { Context } from './context.ts';
import { commandHelp, mainHelp } from './help.ts';
import { INTERRUPTED_EXIT, Interrupted } from './interrupt.ts';
import { errorJson, errorLines, type Output } from './output.ts';

/** Runs one command line (without `node` and the script) and resolves to its exit code; errors are printed, never thrown. */
export async function run(argv: readonly string[], context: Context): Promise<number> {
  const { output, signal } = context;
  try {
    const exit = await dispatched(argv, context);
    return signal.aborted ? INTERRUPTED_EXIT : exit;
  } catch (thrown) {
    if (thrown instanceof Interrupted || signal.aborted) return INTERRUPTED_EXIT;
    const error = asMcpdError(thrown, 'INTERNAL', 'mcpd failed in a way that nobody foresaw');
    reportError(error, output, hasFlag(argv, '--json'));
    if (error.code === 'INTERNAL' && thrown instanceof Error && context.env['MCPD_DEBUG'] !== undefined)
      output.say(thrown.stack ?? '');
    return error.exitCode;
  }
}

// — internal —

async function dispatched(argv: readonly string[], context: Context): Promise<number> {
  const { output, commands } = context;
  const [first, ...others] = argv;
  if (first === undefined || first === '--help' || first === '-h') return printed(output, mainHelp(commands));
  if (first === '--version' || first === '-V' || first === '-v') return printed(output, VERSION);
  if (first === 'help')
    return printed(
      output,
      others[0] === undefined ? mainHelp(commands) : commandHelp(commandNamed(others[0], commands)),
    );
  const command = commandNamed(first, commands);
  const parsed = parseCommand(command, others);
  if (parsed.flag('help')) return printed(output, commandHelp(command));
  const act = await command.load();
  return (await act(parsed, context)) ?? 0;
}

function printed(output: Output, text: string): number {
  for (const line of text.split('\n')) output.print(line);
  return 0;
}

/** @throws McpdError USAGE with the nearest command */
function commandNamed(name: string, commands: readonly Command[]): Command {
  const found = commands.find((command) => command.name === name || command.alias === name);
  if (found !== undefined) return found;
  const why = didYouMean(
    name,
    commands.map((command) => command.name),
  );
  const what = name.startsWith('-') ? `mcpd has no option ${name}` : `mcpd has no command ${name}`;
  throw new McpdError('USAGE', { what, ...(why === undefined ? {} : { why }), fix: 'mcpd --help' });
}

function reportError(error: McpdError, output: Output, asJson: boolean): void {
  if (asJson) output.json(errorJson(error));
  else for (const line of errorLines(error, output.sayPaint)) output.say(line);
}
