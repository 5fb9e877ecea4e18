import { inputsOfRemote, type Published, type PublishedRemote } from '../../registry/published.ts';
import type { InstallRequest } from '../api/contract.ts';
import type { HttpLaunch } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { secretsIn, variablesIn } from '../secret-references.ts';
import { remoteLaunch } from './address.ts';
import { type GivenValue, secretNameOf } from './inputs.ts';
import type { Values } from './values.ts';

/**
 * Where a published server that runs elsewhere is reached, and with which headers. Pure. What a person adds by `--header` takes the place
 * of a published one of that name.
 * @throws McpdError INPUT_INVALID
 */
export function planRemote(
  published: Published,
  remote: PublishedRemote,
  request: Pick<InstallRequest, 'args' | 'headers' | 'transport'>,
  values: Values,
): { remote: HttpLaunch; warnings: string[] } {
  const url = values.filled({ value: remote.url, variables: remote.variables, required: true }, addressPart) ?? '';
  const [reference] = [...secretsIn(url), ...variablesIn(url)];
  if (reference !== undefined) throw secretInAddress(published.title, reference);
  const headers = new Map<string, GivenValue>();
  for (const header of remote.headers) {
    const text = values.textOf(header);
    if (text !== null) headers.set(header.name, { value: text, secret: false });
  }
  checkNothingElse(published.title, remote, [...values.others().map(([name]) => name), ...(request.args ?? [])]);
  for (const [name, { value, secret: isSecret }] of Object.entries(request.headers ?? {})) {
    const present = [...headers.keys()].find((each) => each.toLowerCase() === name.toLowerCase());
    if (present !== undefined) headers.delete(present);
    headers.set(name, isSecret ? { value: values.kept(name, value), secret: false } : { value, secret: false });
  }
  const warnings = published.warnings.map((text) => `${published.title}: ${text}`);
  const transport = request.transport ?? remote.transport;
  if (values.missing.length > 0) {
    const shown = Object.fromEntries([...headers].map(([name, { value }]) => [name, value]));
    return { remote: { kind: 'http', url, transport, headers: shown }, warnings };
  }
  const checked = remoteLaunch({ url, transport, headers });
  return { remote: checked.launch, warnings: [...warnings, ...checked.warnings] };
}

// — internal —

/** A whole address at the beginning stays one; elsewhere a value must not become more than it stands for. */
function addressPart(value: string, offset: number): string {
  return offset === 0 ? value : encodeURIComponent(value);
}

/** No process of ours could be given it. */
function checkNothingElse(title: string, remote: PublishedRemote, given: readonly string[]): void {
  const [unknown] = given;
  if (unknown === undefined) return;
  const names = inputsOfRemote(remote).map((input) => secretNameOf(input.name));
  throw new McpdError('INPUT_INVALID', {
    what: `${title} takes no ${unknown}`,
    why: `it runs elsewhere, and is given its address and its headers; ${names.length === 0 ? 'nothing is to be filled in' : `what is to be filled in is ${names.join(', ')}`}`,
    fix: names.length === 0 ? `leave it out, or send a header: --header 'NAME: VALUE'` : `--env ${names[0]}=VALUE`,
  });
}

function secretInAddress(title: string, secret: string): McpdError {
  return new McpdError('INPUT_INVALID', {
    what: `${title} cannot be reached safely`,
    why: `its address would hold the secret ${secret}, and addresses are stored and shown as they are`,
    fix: 'ask its publisher to take it in a header',
  });
}
