import type { LockReport, LockState } from '../../src/api/contract/lock.ts';
import { McpdError } from '../../src/errors.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';

/** Exit code of a server that is not what was agreed to, as the error table has it. */
const DIFFERENT_EXIT = 5;

/** `mcpd lock [NAME] [--agree]`: what is otherwise than mcpd.lock says. */
export async function runLock(parsed: Parsed, context: Context): Promise<number> {
  const { output } = context;
  const [name] = parsed.operands;
  const daemon = await context.daemon();
  if (parsed.flag('agree')) {
    if (name === undefined)
      throw new McpdError('USAGE', { what: '--agree is for one server', fix: 'mcpd lock NAME --agree' });
    const state = await daemon.request<LockState>('POST', `/api/servers/${encodeURIComponent(name)}/lock`, {});
    if (parsed.flag('json')) output.json(state);
    else output.print(`${name} is agreed to as it is now.`);
    return 0;
  }
  const query = name === undefined ? '' : `?server=${encodeURIComponent(name)}`;
  const { file, servers } = await daemon.request<LockReport>('POST', `/api/lock${query}`, {});
  if (parsed.flag('json')) output.json({ file, servers });
  else for (const state of servers) show(state, context);
  return servers.some(({ differences }) => differences.length > 0) ? DIFFERENT_EXIT : 0;
}

// — internal —

function show({ server, locked, differences }: LockState, { output }: Context): void {
  const { paint } = output;
  const pack = locked?.package ?? null;
  const what =
    pack === null
      ? (locked?.argv.join(' ') ?? 'not in the lock yet')
      : `${pack.kind}:${pack.identifier}@${pack.version}`;
  output.print(`${differences.length === 0 ? paint.green('✓') : paint.red('✗')} ${server}  ${showable(what)}`);
  for (const text of differences) output.print(`    ${showable(text)}`);
}
