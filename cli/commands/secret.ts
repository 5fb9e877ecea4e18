import type { SecretChange, SecretInfo } from '../../src/api/contract/credentials.ts';
import type { ServerStatus } from '../../src/api/contract.ts';
import { McpdError } from '../../src/errors.ts';
import { secretsWhere, whereText } from '../../src/secrets-where.ts';
import { shellWord } from '../../src/shell-word.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import { pipedText } from '../prompt/piped.ts';
import { mustRun } from './servers.ts';

/** Values that servers get and nobody sees: their names are shown, they themselves never. */
export async function runSecret(parsed: Parsed, context: Context): Promise<void> {
  const [word, server, name] = parsed.operands;
  if (word === 'list' && name === undefined) return list(server, parsed, context);
  if (word === 'where' && server === undefined) return where(parsed, context);
  if (word === 'set' && server !== undefined && name !== undefined) return set(server, name, parsed, context);
  if ((word === 'rm' || word === 'remove') && server !== undefined)
    return remove(server, name ?? null, parsed, context);
  throw new McpdError('USAGE', {
    what: `mcpd secret cannot do ${parsed.operands.join(' ')}`,
    why: 'it knows set NAME KEY, list [NAME], rm NAME KEY, and where',
    fix: 'mcpd secret --help',
  });
}

// — internal —

const MEANINGS: Record<SecretInfo['state'], string> = {
  used: '',
  missing: 'has no value: mcpd secret set',
  unused: 'the server does not need it',
  orphaned: 'there is no such server: mcpd secret rm',
};

async function set(server: string, name: string, parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const daemon = await context.daemon();
  // Before anybody types a secret for a server that is not there.
  await daemon.request<ServerStatus>('GET', `/api/servers/${encodeURIComponent(server)}`);
  const value = await givenValue(server, name, context);
  const change = await daemon.request<SecretChange>('POST', pathOf(server), { name, value });
  if (parsed.flag('json')) output.json(change);
  else if (!change.restarted) output.print(`${name} of ${server} is set; its next start will use it.`);
  else output.print(`${name} of ${server} is set, and it was restarted: ${change.server.state}.`);
  if (change.restarted && !parsed.flag('json')) mustRun(change.server);
}

/** Typed without echo, or all of standard input but its last newline. */
async function givenValue(server: string, name: string, { keyboard, input, output }: Context): Promise<string> {
  const asked = keyboard !== null;
  const value = asked
    ? (await keyboard.line(output.sayPaint.bold(showable(`${name} (not shown): `)), 'hidden')).trim()
    : await pipedText(input);
  if (value !== '') return value;
  throw new McpdError('INPUT_MISSING', {
    what: `${name} was given no value`,
    why: asked ? 'nothing was typed' : 'standard input is no terminal, and was empty',
    fix: `mcpd secret set ${shellWord(server)} ${shellWord(name)} < FILE`,
  });
}

async function list(server: string | undefined, parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const daemon = await context.daemon();
  const all = await daemon.request<SecretInfo[]>('GET', '/api/secrets');
  const rows = server === undefined ? all : all.filter((row) => row.server === server);
  // Without any the name may be a slip.
  if (server !== undefined && rows.length === 0)
    await daemon.request<ServerStatus>('GET', `/api/servers/${encodeURIComponent(server)}`);
  if (parsed.flag('json')) return output.json(rows);
  if (rows.length === 0)
    return output.say(server === undefined ? 'No server has secrets.' : `${server} has no secrets.`);
  output.table(rows, [
    { title: 'SERVER', cell: (row) => row.server },
    { title: 'SECRET', cell: (row) => row.name },
    { title: '', cell: (row) => MEANINGS[row.state] },
  ]);
}

async function remove(server: string, name: string | null, parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const daemon = await context.daemon();
  const query = name === null ? '' : `?secret=${encodeURIComponent(name)}`;
  const { removed } = await daemon.request<{ removed: string[] }>('DELETE', `${pathOf(server)}${query}`);
  if (parsed.flag('json')) return output.json({ removed });
  output.print(`${removed.join(', ')} of ${server} ${removed.length === 1 ? 'is' : 'are'} removed.`);
  const left = (await daemon.request<SecretInfo[]>('GET', '/api/secrets')).find(
    (row) => row.server === server && row.name === name,
  );
  if (left !== undefined)
    output.say(`${server} needs it: its next start will fail until it is set again: mcpd secret set ${server} ${name}`);
}

async function where(parsed: Parsed, { output, paths }: Context): Promise<void> {
  const { kept, damage } = await secretsWhere(paths);
  if (damage !== null) throw damage;
  if (parsed.flag('json')) return output.json({ kept, file: kept === 'plain' ? paths.plainSecrets : paths.secrets });
  const text = whereText(kept, paths);
  output.print(`${text.charAt(0).toUpperCase()}${text.slice(1)}.`);
}

function pathOf(server: string): string {
  return `/api/secrets/${encodeURIComponent(server)}`;
}
