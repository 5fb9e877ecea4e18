import { posix, win32 } from 'node:path';
import { isPublishedName, isPublishedVersion, LATEST } from '../../registry/official/names.ts';
import { identifierFault, parseImage, versionFault } from '../../registry/package-names.ts';
import { PACKAGE_KINDS, type PackageKind } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { bundleText, isBundleName, parseBundle } from './bundle/spec.ts';
import { gitText, isGitAddress, parseGit } from './packages/git-address.ts';

/** What a person wrote after `mcpd install`, understood but not looked up. */
export type Spec =
  | { kind: 'catalog'; name: string }
  /** `range` is an exact version, a tag or a range; `latest` when none was written. Of an image a tag or a digest, of a repository a branch, a tag or a commit. */
  | { kind: 'package'; of: PackageKind; identifier: string; range: string }
  /** A name of an MCP registry; a null version is the newest. */
  | { kind: 'registry'; name: string; version: string | null }
  /** `identifier` is an absolute path or an address; `sha256` the one file that will do. */
  | { kind: 'bundle'; identifier: string; sha256: string | null }
  | { kind: 'folder'; path: string }
  /** A `server.json`. */
  | { kind: 'document'; path: string }
  /** A remote server; not checked yet. */
  | { kind: 'url'; url: string };

/** @throws McpdError SPEC_INVALID saying what can be written instead */
export function parseSpec(text: string): Spec {
  const spec = text.trim();
  if (spec === '' || /[\0\r\n]/.test(spec)) throw invalid(spec, 'it is empty or has line breaks', CHOICES);
  if (/^mcpb:/i.test(spec)) return { kind: 'bundle', ...parseBundle(spec.slice('mcpb:'.length)) };
  if (isBundleName(spec) && (posix.isAbsolute(spec) || win32.isAbsolute(spec) || /^https?:/i.test(spec)))
    return { kind: 'bundle', ...parseBundle(spec) };
  if (isGitAddress(spec)) return repositorySpec(spec);
  if (posix.isAbsolute(spec) || win32.isAbsolute(spec))
    return isDocument(spec) ? { kind: 'document', path: spec } : { kind: 'folder', path: spec };
  if (/^\.{1,2}([/\\]|$)/.test(spec))
    throw invalid(spec, 'a file or folder must be given by its absolute path here', CHOICES);
  if (/^https?:/i.test(spec)) return { kind: 'url', url: spec };
  const [, scheme, rest = ''] = /^([a-z][a-z0-9+.-]*):(.*)$/i.exec(spec) ?? [];
  if (scheme !== undefined) return packageSpec(spec, scheme.toLowerCase(), rest.trim());
  if (REVERSE_DNS.test(spec)) return parseRegistryName(spec);
  if (/^@[^/]+\/[^/]+$/.test(spec) || /.@/.test(spec))
    throw invalid(spec, 'this looks like a package of npm', `mcpd install npm:${spec}`);
  if (spec.includes('/'))
    throw invalid(spec, 'it is neither a catalog name nor a package', `for a folder: mcpd install ./${spec}`);
  if (/\.json$/i.test(spec))
    throw invalid(spec, 'this looks like a file, and files are named by their path', `mcpd install ./${spec}`);
  return { kind: 'catalog', name: spec };
}

export function specText(spec: Spec): string {
  switch (spec.kind) {
    case 'catalog':
      return spec.name;
    case 'package':
      return packageText(spec.of, spec.identifier, spec.range);
    case 'registry':
      return spec.version === null ? spec.name : `${spec.name}@${spec.version}`;
    case 'bundle':
      return bundleText(spec.identifier, spec.sha256);
    case 'folder':
    case 'document':
      return spec.path;
    case 'url':
      return spec.url;
  }
}

/** `npm:@acme/mcp@1.2.3`, `oci:ghcr.io/acme/mcp:1.2`, `git:https://github.com/o/r#v1`: as it may be installed. */
export function packageText(kind: PackageKind, identifier: string, range: string): string {
  if (kind === 'git') return gitText(identifier, range);
  const between = kind === 'oci' && !range.startsWith('sha256:') ? ':' : '@';
  return `${kind}:${identifier}${between}${range}`;
}

/** One that stands for no other, now or later. */
export function isExactVersion(range: string): boolean {
  return /^\d+\.\d+\.\d+(-[0-9a-z.-]+)?(\+[0-9a-z.-]+)?$/i.test(range);
}

// — internal —

/** A package.json is read with its folder. */
function isDocument(path: string): boolean {
  return /\.json$/i.test(path) && !/(^|[/\\])package\.json$/i.test(path);
}

const CHOICES =
  'mcpd install NAME (see mcpd search), io.github.USER/NAME[@VERSION], npm:PKG[@VERSION], pypi:PKG[@VERSION], oci:IMAGE[:TAG], nuget:PKG[@VERSION], ./FOLDER, ./BUNDLE.mcpb, ./server.json, https://github.com/OWNER/REPOSITORY[#REF], or https://HOST/PATH';

/** A version, a tag or a range; nothing that a tool would read as an address, a file or an option. */
const RANGES = {
  npm: /^[0-9a-z^~<>=*][0-9a-z.+^~<>=|* -]*$/i,
  /** As in a requirement; `==` may be left out of one version. */
  pypi: /^(latest|[0-9a-z][0-9a-z.+!_-]*|(===?|~=|!=|[<>]=?)\s*[0-9a-z.*+!_-]+(,\s*(==|~=|!=|[<>]=?)\s*[0-9a-z.*+!_-]+)*)$/i,
} as const;

function packageSpec(spec: string, scheme: string, rest: string): Spec {
  const kind = PACKAGE_KINDS.find((one) => one === (scheme === 'docker' ? 'oci' : scheme));
  if (kind === undefined) throw invalid(spec, `"${scheme}:" is no kind of package that mcpd knows`, CHOICES);
  if (kind === 'mcpb') throw invalid(spec, 'a bundle is named by its file or its address', CHOICES);
  if (kind === 'git') return repositorySpec(spec);
  if (kind === 'oci') return imageSpec(spec, rest.replace(/^\/\//, ''));
  const at = rest.indexOf('@', 1);
  const identifier = at === -1 ? rest : rest.slice(0, at);
  const range = at === -1 ? 'latest' : rest.slice(at + 1).trim();
  const fault = identifierFault(kind, identifier);
  if (fault !== null) throw invalid(spec, fault, `mcpd install ${kind}:PKG[@VERSION]`);
  const isKnown = kind === 'nuget' ? isNugetVersion(range) : RANGES[kind].test(range) && range.length <= RANGE_MAX;
  if (!isKnown)
    throw invalid(spec, `"${range.slice(0, 80)}" is no version, tag or range`, `mcpd install ${kind}:${identifier}`);
  return { kind: 'package', of: kind, identifier, range };
}

function repositorySpec(spec: string): Spec {
  const read = parseGit(spec);
  if ('why' in read) throw invalid(spec, read.why, read.fix);
  return { kind: 'package', of: 'git', ...read };
}

const RANGE_MAX = 255;

/** dnx takes one version or none. */
function isNugetVersion(range: string): boolean {
  return range === 'latest' || versionFault('nuget', range) === null;
}

function imageSpec(spec: string, reference: string): Spec {
  const image = parseImage(reference);
  if (image === null)
    throw invalid(
      spec,
      identifierFault('oci', reference) ?? 'that is no image',
      'mcpd install oci:IMAGE[:TAG|@sha256:DIGEST]',
    );
  return { kind: 'package', of: 'oci', identifier: image.name, range: image.digest ?? image.tag ?? 'latest' };
}

/** Has a domain before its first slash: no name of npm and of a folder that is given as such has one. Whether the rest will do is seen later. */
const REVERSE_DNS = /^[^@/\\\s]*\.[^@/\\\s]*\//;

function parseRegistryName(spec: string): Spec {
  const at = spec.indexOf('@');
  const name = at === -1 ? spec : spec.slice(0, at);
  const version = at === -1 ? null : spec.slice(at + 1);
  if (!isPublishedName(name))
    throw invalid(
      spec,
      'names of an MCP registry are like io.github.user/name',
      `for a folder: mcpd install ./${spec}`,
    );
  if (version === null || version === LATEST) return { kind: 'registry', name, version: null };
  if (isPublishedVersion(version)) return { kind: 'registry', name, version };
  throw invalid(spec, `"${version.slice(0, 80)}" is no version`, `mcpd install ${name}`);
}

function invalid(spec: string, why: string, fix: string): McpdError {
  return new McpdError('SPEC_INVALID', { what: `"${spec.slice(0, 120)}" cannot be installed`, why, fix });
}
