import * as z from 'zod/mini';
import { type HttpTransport, PACKAGE_KINDS } from '../src/core/model.ts';
import { McpdError } from '../src/errors.ts';
import { registryAddressFault } from '../src/registry-address.ts';
import { isPublishedName } from './official/names.ts';
import { identifierFault, parseImage, versionFault } from './package-names.ts';
import type { Published, PublishedPackage, PublishedRemote } from './published.ts';
import {
  argumentOf,
  checkText,
  Fault,
  headerOf,
  plainLine,
  variableOf,
  variablesOf,
  withUntold,
} from './server-json-inputs.ts';
import { inNewestWords, type PackageMembers, type RemoteMembers, ServerDocument } from './server-json-shape.ts';

/**
 * A server as its `server.json` describes it: every revision since 2025-07-09. Nothing of the text is trusted; members that nobody knows
 * are ignored, and packages of a kind that mcpd does not know are named in `unsupported`.
 * @throws {McpdError} CONFIG_INVALID with the place that will not do
 */
export function publishedOf(serverJson: unknown): Published {
  const parsed = ServerDocument.safeParse(inNewestWords(serverJson));
  if (!parsed.success) {
    const { path = [], message = 'it is no object' } = parsed.error.issues[0] ?? {};
    throw invalid(null, path.length === 0 ? message : `${z.core.toDotPath(path)}: ${message}`);
  }
  try {
    return published(parsed.data);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
    throw invalid(parsed.data.name, thrown.message);
  }
}

// — internal —

const WEB_ADDRESS = /^https?:\/\/[^\s"'`<>\\^|]+$/i;
const ADDRESS_CHARS_MAX = 2048;

function published(document: ServerDocument): Published {
  const { name } = document;
  if (!isPublishedName(name))
    throw new Fault(`"${name.slice(0, 80)}" cannot be the name of a server: names are like io.github.acme/weather`);
  const unsupported: string[] = [];
  const known = <T>(read: () => T | string): T[] => {
    const found = read();
    if (typeof found !== 'string') return [found];
    unsupported.push(found);
    return [];
  };
  const repository = webAddress(document.repository?.url);
  const version = checkText((document.version ?? '').trim(), 'version');
  if (version.length > 255) throw new Fault('version has more than 255 characters');
  return {
    name,
    title: plainLine(document.title) || name.slice(name.indexOf('/') + 1),
    description: plainLine(document.description),
    version,
    publisher: publisherOf(name),
    repository,
    websiteUrl: webAddress(document.websiteUrl),
    licence: plainLine(document.license) || null,
    status: document.status === 'deprecated' || document.status === 'deleted' ? document.status : 'active',
    statusMessage: null,
    warnings: [],
    packages: (document.packages ?? []).flatMap((pack, index) => known(() => packageOf(pack, `packages[${index}]`))),
    remotes: (document.remotes ?? []).flatMap((remote, index) => known(() => remoteOf(remote, `remotes[${index}]`))),
    unsupported,
  };
}

/** A text says why mcpd has no way to use it. */
function packageOf(pack: PackageMembers, at: string): PublishedPackage | string {
  const registryType = REGISTRY_WORDS.get(pack.registryType.toLowerCase()) ?? pack.registryType;
  const kind = PACKAGE_KINDS.find((one) => one === registryType);
  // A repository is installed for a person who names it: no registry vouches for what is in it.
  if (kind === undefined || kind === 'git')
    return `a package of the kind "${plainLine(pack.registryType).slice(0, 40)}"`;
  const transport = pack.transport?.type ?? 'stdio';
  if (transport !== 'stdio')
    return `a package of ${kind} that is reached by ${plainLine(transport).slice(0, 40)} once it runs, and not by its stdin and stdout`;
  const fileSha256 = pack.fileSha256?.toLowerCase() ?? null;
  if (fileSha256 !== null && !/^[0-9a-f]{64}$/.test(fileSha256))
    throw new Fault(`${at}.fileSha256 is not 64 hexadecimal digits`);
  return {
    kind,
    ...identityOf(kind, pack, at),
    registryBaseUrl: registryOf(pack.registryBaseUrl, at),
    fileSha256,
    runtimeHint: hintOf(pack.runtimeHint, at),
    runtimeArguments: (pack.runtimeArguments ?? []).map((argument, index) =>
      argumentOf(argument, { at: `${at}.runtimeArguments[${index}]`, isOfRuntime: true }),
    ),
    arguments: (pack.packageArguments ?? []).map((argument, index) =>
      argumentOf(argument, { at: `${at}.packageArguments[${index}]`, isOfRuntime: false }),
    ),
    env: (pack.environmentVariables ?? []).map((variable, index) =>
      variableOf(variable, `${at}.environmentVariables[${index}]`),
    ),
  };
}

/** Older images have their tag as a version, newer ones in their name. */
function identityOf(kind: PublishedPackage['kind'] & string, pack: PackageMembers, at: string) {
  const { identifier, version = null } = pack;
  if (kind === 'bundled') throw new Fault(`${at} is bundled with nothing`);
  if (kind === 'oci') {
    const image = parseImage(identifier);
    if (image === null) throw new Fault(`${at}: ${identifierFault('oci', identifier) ?? 'that is no image'}`);
    const tag = image.digest ?? image.tag ?? version;
    checkVersion(kind, tag, at);
    return { identifier: withRegistry(image.name, pack.registryBaseUrl), version: tag };
  }
  const fault = identifierFault(kind, identifier);
  if (fault !== null) throw new Fault(`${at}: ${fault}`);
  checkVersion(kind, version, at);
  return { identifier, version };
}

function checkVersion(kind: Parameters<typeof versionFault>[0], version: string | null, at: string): void {
  const fault = version === null ? null : versionFault(kind, version);
  if (fault !== null) throw new Fault(`${at}: ${fault}`);
}

/** The first documents named the registry of an image apart from it: `https://ghcr.io` and `acme/mcp`. */
function withRegistry(image: string, base: string | undefined): string {
  const host = base === undefined ? '' : base.replace(/^https?:\/\//i, '').replace(/\/.*$/, '');
  if (host === '' || /^(index\.)?docker\.io$/i.test(host) || /^[^/]*[.:][^/]*\//.test(image)) return image;
  const full = `${host}/${image}`;
  return parseImage(full) === null ? image : full;
}

function remoteOf(remote: RemoteMembers, at: string): PublishedRemote | string {
  const transport = TRANSPORTS.get(remote.type);
  if (transport === undefined) return `a remote server that is reached by "${plainLine(remote.type).slice(0, 40)}"`;
  const url = checkText(remote.url.trim(), `${at}.url`);
  if (!/^(https?:\/\/|\{[^{}]+\})[^\s]*$/i.test(url) || url.length > ADDRESS_CHARS_MAX)
    throw new Fault(`${at}.url is no address`);
  return {
    transport,
    url,
    variables: withUntold(url, variablesOf(remote.variables, at)),
    headers: (remote.headers ?? []).map((header, index) => {
      const input = headerOf(header, `${at}.headers[${index}]`);
      return input.value === null ? input : { ...input, variables: withUntold(input.value, input.variables) };
    }),
  };
}

const TRANSPORTS: ReadonlyMap<string, HttpTransport> = new Map([
  ['streamable-http', 'streamable-http'],
  ['streamable', 'streamable-http'],
  ['http', 'auto'],
  ['sse', 'sse'],
] as const);
/** As older documents and other lists of servers have them. */
const REGISTRY_WORDS = new Map([
  ['docker', 'oci'],
  ['dockerhub', 'oci'],
  ['docker-hub', 'oci'],
]);
/** What each kind takes when nothing is said: naming it changes nothing. */
const USUAL_REGISTRIES =
  /^https?:\/\/(registry\.npmjs\.org|registry\.npmjs\.com|pypi\.org|docker\.io|index\.docker\.io|api\.nuget\.org|(www\.)?nuget\.org|github\.com|gitlab\.com)(\/v3\/index\.json|\/simple)?\/?$/i;

function registryOf(base: string | undefined, at: string): string | null {
  if (base === undefined || base === '' || USUAL_REGISTRIES.test(base)) return null;
  if (!WEB_ADDRESS.test(base) || base.length > ADDRESS_CHARS_MAX || !URL.canParse(base))
    throw new Fault(`${at}.registryBaseUrl is no address`);
  const fault = registryAddressFault(base);
  if (fault !== null) throw new Fault(`${at}.registryBaseUrl will not do: ${fault}`);
  return base;
}

function hintOf(hint: string | undefined, at: string): string | null {
  if (hint === undefined || hint === '') return null;
  if (!/^[A-Za-z0-9][A-Za-z0-9._+-]{0,59}$/.test(hint)) throw new Fault(`${at}.runtimeHint is no program's name`);
  return hint;
}

/** Shown, and never fetched: what is no address is not worth an error. */
function webAddress(url: string | undefined): string | null {
  return url !== undefined && url.length <= ADDRESS_CHARS_MAX && WEB_ADDRESS.test(url) ? url : null;
}

/** `io.github.acme/weather` → `github.com/acme`; `com.example/weather` → `example.com`. */
function publisherOf(name: string): string {
  const [space = ''] = name.split('/');
  const labels = space.split('.');
  const host = labels.slice(0, 2).join('.');
  const site = { 'io.github': 'github.com', 'io.gitlab': 'gitlab.com' }[host];
  return site === undefined || labels.length < 3 ? labels.reverse().join('.') : `${site}/${labels.slice(2).join('.')}`;
}

function invalid(name: string | null, why: string): McpdError {
  return new McpdError('CONFIG_INVALID', {
    what: name === null ? 'that is no server.json' : `the description of ${plainLine(name).slice(0, 80)} will not do`,
    why,
    fix: 'its publisher has to repair it; a package can be named by itself: mcpd install npm:PKG',
  });
}
