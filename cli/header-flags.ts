import type { AddressRequest } from '../src/api/contract.ts';
import { HTTP_TRANSPORTS } from '../src/core/model.ts';
import { McpdError } from '../src/errors.ts';
import type { Parsed } from './command.ts';
import type { Context } from './context.ts';
import { askInput } from './prompt/ask.ts';

type AddressOptions = Pick<AddressRequest, 'transport' | 'headers'>;

/**
 * What `--transport` and `--header` say of a remote server. Values of headers are secrets; one without a value is asked for.
 * @throws McpdError USAGE naming the option, INPUT_MISSING without a terminal to ask on
 */
export async function addressOptions(parsed: Parsed, command: string, context: Context): Promise<AddressOptions> {
  const given = await givenHeaders(parsed.values('header'), command, context);
  const headers = Array.from(given, ([name, value]) => [name, { value, secret: true }] as const);
  const transport = parsed.value('transport');
  return {
    ...(transport === undefined ? {} : { transport: transportOf(transport) }),
    ...(headers.length === 0 ? {} : { headers: Object.fromEntries(headers) }),
  };
}

/** By name; a value that is not there is asked for. @throws McpdError as `addressOptions` */
export async function givenHeaders(
  words: readonly string[],
  command: string,
  context: Context,
): Promise<Map<string, string>> {
  const headers = new Map<string, string>();
  for (const word of words) {
    const { name, value } = headerOf(word);
    headers.set(name, value ?? (await asked(name, command, context)));
  }
  return headers;
}

/** `NAME: VALUE` or `NAME`. @throws McpdError USAGE */
export function headerOf(word: string): { name: string; value: string | null } {
  const [, name = '', colon, value = ''] = /^([^:\s]+)\s*(?:(:)\s*(.*))?$/s.exec(word) ?? [];
  if (name !== '' && (colon === undefined || value !== '')) return { name, value: colon === undefined ? null : value };
  throw new McpdError('USAGE', {
    // Not the word: it holds a secret as likely as not.
    what: '--header names no header',
    why: 'it is a name and a value with a colon between them, or a name alone, whose value is asked for',
    fix: "--header 'Authorization: Bearer …'",
  });
}

// — internal —

function transportOf(text: string): NonNullable<AddressOptions['transport']> {
  const known = HTTP_TRANSPORTS.find((one) => one === text);
  if (known !== undefined) return known;
  throw new McpdError('USAGE', {
    what: `--transport ${text} is not known`,
    why: `it is one of ${HTTP_TRANSPORTS.join(', ')}`,
    fix: '--transport auto',
  });
}

async function asked(name: string, command: string, { keyboard, output }: Context): Promise<string> {
  const spec = { name, description: '', required: true, secret: true, default: null, choices: null };
  const value = keyboard === null ? null : await askInput(spec, keyboard, output);
  if (value !== null) return value;
  throw new McpdError('INPUT_MISSING', {
    what: `the value of the header ${name} is needed and there is no terminal to ask on`,
    fix: `${command} --header '${name}: …'`,
  });
}
