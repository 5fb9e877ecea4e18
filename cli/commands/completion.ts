import type { Parsed } from '../command.ts';
import { completionScript } from '../completion.ts';
import type { Context } from '../context.ts';

export async function runCompletion(parsed: Parsed, context: Context): Promise<void> {
  const [shell = ''] = parsed.operands;
  for (const line of completionScript(shell, context.commands).split('\n')) context.output.print(line);
}
