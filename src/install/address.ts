import type { AddressRequest, InstallRequest } from '../api/contract.ts';
import type { HttpLaunch, HttpTransport } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { hasReference, secretReference } from '../secret-references.ts';
import { isConfidential } from '../secret-shape.ts';
import { shellWord } from '../shell-word.ts';
import { isBundleName } from './bundle/spec.ts';
import type { DeclaredEntry } from './declared.ts';
import { definitionOf, type Registration } from './definition.ts';
import { type GivenValue, secretNameOf } from './inputs.ts';
import { nameOf } from './naming.ts';
import { isGitAddress } from './packages/git-address.ts';

/** Servers that run elsewhere: their address, and what every request to them carries. Pure. */

export interface AddressParts {
  url: string;
  transport: HttpTransport;
  headers: ReadonlyMap<string, GivenValue>;
}

/** @throws McpdError NAME_INVALID, INPUT_INVALID */
export function addressDefinition(request: AddressRequest, addedAt: number): Registration {
  const { name, warnings } = nameOf(request.name, request.name);
  const remote = remoteLaunch({
    url: request.url,
    transport: request.transport ?? 'auto',
    headers: new Map(Object.entries(request.headers ?? {})),
  });
  const facts = { description: '', integrity: null, addedAt };
  const definition = definitionOf(name, remote.launch, { kind: 'url', ref: remote.launch.url }, request, facts);
  return { definition, secrets: remote.secrets, warnings: [...warnings, ...remote.warnings] };
}

/** @throws McpdError INPUT_INVALID for an address or a header that will not do */
export function remoteLaunch(parts: AddressParts): {
  launch: HttpLaunch;
  secrets: Map<string, string>;
  warnings: string[];
} {
  const url = checkedAddress(parts.url);
  const secrets = new Map<string, string>();
  const headers: [string, string][] = [];
  const names = new Set<string>();
  for (const [name, { value, secret }] of parts.headers) {
    checkHeader(name, value);
    if (names.has(name.toLowerCase())) throw refused(`the header ${name} is given twice`, undefined);
    names.add(name.toLowerCase());
    headers.push([name, secret ? keptApart(name, value, secrets) : value]);
  }
  const launch: HttpLaunch = {
    kind: 'http',
    url: url.href,
    transport: parts.transport,
    headers: Object.fromEntries(headers),
  };
  return { launch, secrets, warnings: addressWarnings(url) };
}

/** `https://mcp.example.com/mcp` → `example`; an address of numbers is a name as it is. */
export function nameOfAddress(text: string): string {
  if (!URL.canParse(text)) return text;
  const { hostname } = new URL(text);
  if (/^[\d.]+$|^\[/.test(hostname)) return hostname;
  const labels = hostname.split('.').filter((label) => !COMMON_LABELS.has(label));
  return labels[0] ?? hostname;
}

/** An install of an address is an add, under a name made from it; null for other specs. What will not do is found by the add. */
export function remoteRequest(request: InstallRequest): AddressRequest | null {
  const url = request.spec.trim();
  // That is refused where the spec is looked up.
  if (request.package !== undefined) return null;
  if (!/^https?:/i.test(url) || isBundleName(url) || isGitAddress(url)) return null;
  const { transport, headers, sharing } = request;
  return { name: request.name ?? nameOfAddress(url), url, transport, headers, sharing, trial: true };
}

/** What a file says of a remote server, in mcpd's words or in those of hosts: their `http` is tried as `auto`. */
export function declaredAddress(entry: DeclaredEntry, url: string): AddressParts {
  const headers = Object.entries(entry.headers ?? {}).map(([name, value]): [string, GivenValue] => [
    name,
    { value, secret: isConfidential(name, value) },
  ]);
  return { url, transport: entry.transport ?? TRANSPORT_OF_TYPE[entry.type ?? 'http'], headers: new Map(headers) };
}

/** What else to try when the trial of an address failed. */
export function untestedAddress(name: string, request: AddressRequest): string {
  const headers = Object.keys(request.headers ?? {}).map((header) => `--header ${header} `);
  const untested = `mcpd add ${name} --no-trial ${headers.join('')}--url ${shellWord(request.url)}`;
  // As hosts of repositories have it, of which there are more than anybody knows.
  const isLikeRepository = URL.canParse(request.url) && /^\/[^/]+\/[^/]+\/?$/.test(new URL(request.url).pathname);
  const repository = isLikeRepository ? `; a git repository: mcpd install ${shellWord(`git+${request.url}`)}` : '';
  return `check the address, or register it untested: ${untested}${repository}`;
}

// — internal —

const TRANSPORT_OF_TYPE: Record<NonNullable<DeclaredEntry['type']>, HttpTransport> = {
  stdio: 'auto',
  http: 'auto',
  'streamable-http': 'streamable-http',
  streamableHttp: 'streamable-http',
  sse: 'sse',
};
/** Say nothing of whose server it is. */
const COMMON_LABELS = new Set(['www', 'mcp', 'api', 'app']);
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What HTTP can carry: visible ASCII, space and tab, and the upper half that many servers take. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** Set by mcpd for each request, or by the protocol. */
const OWN_HEADERS = /^(host|connection|content-.*|transfer-encoding|accept|accept-encoding|expect|te|upgrade|mcp-.*)$/i;
const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

function checkedAddress(text: string): URL {
  if (!URL.canParse(text)) throw refused('it is no address', 'https://HOST/PATH');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw refused(`"${url.protocol}" is no way to a server`, 'https://HOST/PATH');
  if (url.username !== '' || url.password !== '')
    throw refused('it holds a user or a password', "--header 'Authorization: Basic …'");
  url.hash = '';
  return url;
}

function addressWarnings(url: URL): string[] {
  const shown = [...url.searchParams].filter(([name, value]) => isConfidential(name, value)).map(([name]) => name);
  return [
    ...(url.protocol === 'http:' && !LOOPBACK.test(url.hostname)
      ? [`${url.host} is reached without encryption: whoever is on the way reads and changes everything`]
      : []),
    ...(shown.length === 0
      ? []
      : [`the address holds what looks like a credential (${shown.join(', ')}), and is shown as it is`]),
  ];
}

function checkHeader(name: string, value: string): void {
  if (!HEADER_NAME.test(name)) throw refused(`"${name.slice(0, 60)}" cannot be the name of a header`, HEADER_FLAG);
  if (OWN_HEADERS.test(name)) throw refused(`the header ${name} is set by mcpd itself`, undefined);
  // Not the value: it is a secret as likely as not.
  if (!HEADER_VALUE.test(value))
    throw refused(`the value of the header ${name} holds a line break or the like`, HEADER_FLAG);
}

const HEADER_FLAG = "--header 'NAME: VALUE'";

/** The scheme of an `Authorization` stays, so that the secret is the token itself, and masked wherever that appears. */
function keptApart(name: string, value: string, secrets: Map<string, string>): string {
  if (hasReference(value)) return value;
  const [, scheme = '', rest = value] = /^(Bearer |Basic |Token )(.+)$/i.exec(value) ?? [];
  const secret = secretNameOf(name);
  secrets.set(secret, rest);
  return `${scheme}${secretReference(secret)}`;
}

function refused(why: string, fix: string | undefined): McpdError {
  return new McpdError('INPUT_INVALID', {
    what: 'that remote server cannot be added',
    why,
    ...(fix === undefined ? {} : { fix }),
  });
}
