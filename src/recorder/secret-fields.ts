import type { Launch } from '../core/model.ts';
import { hasReference } from '../secret-references.ts';
import { isConfidential, isCredentialName } from '../secret-shape.ts';

/**
 * Values that are secret by the name beside them, in text that need not be whole JSON: it may be cut, and JSON may stand in a string of
 * other JSON, as in most results of tools. Pure.
 */

const MASK = '***';

/** The text without the values of secret fields: `"apiKey":"…"` at any depth of quoting, `api_key=…`, `Bearer …`. */
export function withoutSecretFields(text: string): string {
  return withoutFields(text)
    .replace(PAIR, (whole, name: string, value: string) => (isSecret(name, value) ? `${name}=${MASK}` : whole))
    .replace(BEARER, `$1 ${MASK}`);
}

/** A launch without values that are secret by their names; `${secret:NAME}` stays, since it gives nothing away. */
export function launchWithoutSecrets(launch: Launch, mask: (text: string) => string): Launch {
  const hidden = new Set(secretsInLaunch(launch));
  const hide = (text: string) => mask([...hidden].reduce((rest, secret) => rest.replaceAll(secret, MASK), text));
  const hideAll = (values: Record<string, string>) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, hide(value)]));
  if (launch.kind === 'http')
    return { ...launch, url: withoutSecretFields(hide(launch.url)), headers: hideAll(launch.headers) };
  return {
    ...launch,
    args: launch.args.map((argument) => withoutSecretFields(hide(argument))),
    env: hideAll(launch.env),
  };
}

/** What stands in a launch in plain text, and is secret by the name of its variable, header or option: `--token X`, `--api-key=X`. */
export function secretsInLaunch(launch: Launch): string[] {
  const named = Object.entries(launch.kind === 'http' ? launch.headers : launch.env);
  if (launch.kind === 'stdio') {
    for (const [at, argument] of launch.args.entries()) {
      const [name = '', ...value] = argument.split('=');
      if (value.length > 0) named.push([optionName(name), value.join('=')]);
      else if (argument.startsWith('-')) named.push([optionName(argument), launch.args[at + 1] ?? '']);
    }
  } else {
    for (const [name, value] of new URL(launch.url).searchParams) named.push([name, value]);
  }
  return named
    .filter(([name, value]) => value !== '' && !hasReference(value) && isSecret(name, value))
    .flatMap(([, value]) => [value, ...(/^(?:Bearer|Basic|Token) (.+)$/i.exec(value)?.slice(1) ?? [])])
    .sort((a, b) => b.length - a.length);
}

// — internal —

/**
 * A name in quotes, which may be escaped themselves, and a colon. Every part is bounded, and no run of backslashes is tried twice: what
 * servers say is looked at here, and it must not take longer than it is long.
 */
const FIELD = /(?<!\\)(\\*)"([\w.$-]{1,64})(\\*)"\s{0,8}:\s{0,8}/g;
const NUMBER = /-?\d[\d.eE+-]{0,64}/y;
const PAIR = /(?<![\w.-])([A-Za-z][\w.-]{1,63})=([^\s&"'\\,;<>]+)/g;
const BEARER = /\b(Bearer|Basic)\s[A-Za-z0-9+/._~-]{8,}=*/g;

/** The protocol's own words that end like a credential. */
const NO_SECRETS: ReadonlySet<string> = new Set(['progressToken', 'pageToken', 'nextPageToken']);

function withoutFields(text: string): string {
  let kept = '';
  let from = 0;
  FIELD.lastIndex = 0;
  for (let found = FIELD.exec(text); found !== null; found = FIELD.exec(text)) {
    const [, escapes = '', name = '', closing = ''] = found;
    if (escapes !== closing) {
      // The second quotes may be the first ones of a name.
      FIELD.lastIndex = found.index + escapes.length + 1;
      continue;
    }
    if (!mayBeSecret(name)) continue;
    const start = FIELD.lastIndex;
    const end = valueEnd(text, start, escapes);
    if (end === start || !isSecret(name, text.slice(start, end))) continue;
    kept += `${text.slice(from, start)}${escapes}"${MASK}${escapes}"`;
    from = end;
    FIELD.lastIndex = end;
  }
  return from === 0 ? text : kept + text.slice(from);
}

/** Behind a string in quotes with these escapes, or a number; `start` when neither is there. A string may be cut. */
function valueEnd(text: string, start: number, escapes: string): number {
  if (text.startsWith(`${escapes}"`, start)) {
    const depth = escapes.length;
    for (let at = start + depth + 1; ; at++) {
      at = text.indexOf('"', at);
      if (at === -1) return text.length;
      let run = 0;
      while (text[at - 1 - run] === '\\') run++;
      // Quotes of the text around it: the value was cut there.
      if (run < depth) return at - run;
      // Each level of quoting doubles the backslashes: what is left over of whole escaped ones belongs to the quotes.
      if (run % (2 * (depth + 1)) === depth) return at + 1;
    }
  }
  NUMBER.lastIndex = start;
  return NUMBER.test(text) ? NUMBER.lastIndex : start;
}

function isSecret(name: string, value: string): boolean {
  if (!mayBeSecret(name) || value.replaceAll(/[\\"]/g, '') === MASK) return false;
  // Everything has a key; few of them open anything.
  return name.toLowerCase() !== 'key' || isConfidential('', value);
}

function mayBeSecret(name: string): boolean {
  return isCredentialName(name.replaceAll(/[.-]/g, '_')) && !NO_SECRETS.has(name);
}

function optionName(text: string): string {
  return text.replace(/^-+/, '');
}
