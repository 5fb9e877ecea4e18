import type { NewToken, TokenInfo } from '../../src/api/contract/credentials.ts';
import { McpdError } from '../../src/errors.ts';
import { shownTime } from '../../src/shown.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';

/** Who may come in by HTTP: each client has a token of its own. */
export async function runToken(parsed: Parsed, context: Context): Promise<void> {
  const [word, name] = parsed.operands;
  if (word === 'list' && name === undefined) return list(parsed, context);
  if (word === 'add' && name !== undefined) return add(name, parsed, context);
  if (word === 'remove' && name !== undefined) return remove(name, parsed, context);
  throw new McpdError('USAGE', {
    what: `mcpd token cannot do ${parsed.operands.join(' ')}`,
    why: 'it knows add NAME, list, and remove NAME',
    fix: 'mcpd token --help',
  });
}

// — internal —

async function add(name: string, parsed: Parsed, { output, daemon }: Context): Promise<void> {
  const made = await (await daemon()).request<NewToken>('POST', '/api/tokens', { name });
  if (parsed.flag('json')) return output.json(made);
  output.print(made.token);
  output.say(`This is the only time that the token of ${name} is shown. It is sent as: Authorization: Bearer TOKEN`);
  if (made.url === null) output.say('The address of mcpd is off, because another program has its port: mcpd status');
  else output.say(`The address is ${made.url}`);
}

async function list(parsed: Parsed, { output, daemon }: Context): Promise<void> {
  const tokens = await (await daemon()).request<TokenInfo[]>('GET', '/api/tokens');
  if (parsed.flag('json')) return output.json(tokens);
  if (tokens.length === 0) return output.say('Nobody has a token yet. Try: mcpd token add inspector');
  output.table(tokens, [
    { title: 'CLIENT', cell: (token) => token.name },
    { title: 'SINCE', cell: (token) => shownTime(token.addedAt) },
  ]);
}

async function remove(name: string, parsed: Parsed, { output, daemon }: Context): Promise<void> {
  await (await daemon()).request('DELETE', `/api/tokens/${encodeURIComponent(name)}`);
  if (parsed.flag('json')) return output.json({ removed: name });
  output.print(`The token of ${name} is not good any more, and what was open with it has ended.`);
}
