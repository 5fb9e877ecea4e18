import { posix, win32 } from 'node:path';
import { isPublishedName, isPublishedVersion, LATEST } from '../../registry/official/names.ts';
import { identifierFault } from '../../registry/package-names.ts';
import type { PackageKind } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { bundleText, isBundleName, parseBundle } from './bundle/spec.ts';

/** What a person wrote after `mcpd install`, understood but not looked up. */
export type Spec =
  | { kind: 'catalog'; name: string }
  /** `range` is an exact version, a tag or a range; `latest` when none was written. */
  | { kind: 'package'; of: PackageKind; identifier: string; range: string }
  /** A name of an MCP registry; a null version is the newest. */
  | { kind: 'registry'; name: string; version: string | null }
  /** `identifier` is an absolute path or an address; `sha256` the one file that will do. */
  | { kind: 'bundle'; identifier: string; sha256: string | null }
  | { kind: 'folder'; path: string }
  /** A remote server; not checked yet. */
  | { kind: 'url'; url: string };

/** @throws McpdError SPEC_INVALID saying what can be written instead */
export function parseSpec(text: string): Spec {
  const spec = text.trim();
  if (spec === '' || /[\0\r\n]/.test(spec)) throw invalid(spec, 'it is empty or has line breaks', CHOICES);
  if (/^mcpb:/i.test(spec)) return { kind: 'bundle', ...parseBundle(spec.slice('mcpb:'.length)) };
  if (isBundleName(spec) && (posix.isAbsolute(spec) || win32.isAbsolute(spec) || /^https?:/i.test(spec)))
    return { kind: 'bundle', ...parseBundle(spec) };
  if (posix.isAbsolute(spec) || win32.isAbsolute(spec)) return { kind: 'folder', path: spec };
  if (/^\.{1,2}([/\\]|$)/.test(spec)) throw invalid(spec, 'a folder must be given by its absolute path here', CHOICES);
  if (/^npm:/i.test(spec)) return parseNpm(spec, spec.slice('npm:'.length));
  if (/^https?:/i.test(spec)) return { kind: 'url', url: spec };
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(spec)?.[1]?.toLowerCase();
  if (scheme !== undefined)
    throw invalid(spec, UNSUPPORTED.get(scheme) ?? `"${scheme}:" is no kind of package that mcpd knows`, CHOICES);
  if (REVERSE_DNS.test(spec)) return parseRegistryName(spec);
  if (/^@[^/]+\/[^/]+$/.test(spec) || /.@/.test(spec))
    throw invalid(spec, 'this looks like a package of npm', `mcpd install npm:${spec}`);
  if (spec.includes('/'))
    throw invalid(spec, 'it is neither a catalog name nor a package', `for a folder: mcpd install ./${spec}`);
  return { kind: 'catalog', name: spec };
}

export function specText(spec: Spec): string {
  switch (spec.kind) {
    case 'catalog':
      return spec.name;
    case 'package':
      return `${spec.of}:${spec.identifier}@${spec.range}`;
    case 'registry':
      return spec.version === null ? spec.name : `${spec.name}@${spec.version}`;
    case 'bundle':
      return bundleText(spec.identifier, spec.sha256);
    case 'folder':
      return spec.path;
    case 'url':
      return spec.url;
  }
}

/** One that stands for no other, now or later. */
export function isExactVersion(range: string): boolean {
  return /^\d+\.\d+\.\d+(-[0-9a-z.-]+)?(\+[0-9a-z.-]+)?$/i.test(range);
}

// — internal —

const CHOICES =
  'mcpd install NAME (see mcpd search), io.github.USER/NAME[@VERSION], npm:PKG[@VERSION], ./FOLDER, ./BUNDLE.mcpb, or https://HOST/PATH';
const UNSUPPORTED = new Map([
  ['pypi', 'packages of PyPI cannot be installed yet; install it yourself and use mcpd add NAME -- COMMAND'],
  ['oci', 'containers cannot be installed yet; use mcpd add NAME -- docker run -i --rm IMAGE'],
  ['docker', 'containers cannot be installed yet; use mcpd add NAME -- docker run -i --rm IMAGE'],
]);

/** A version, a tag or a range; nothing that npm would read as an address, a file or an option. */
const RANGE = /^[0-9a-z^~<>=*][0-9a-z.+^~<>=|* -]*$/i;

function parseNpm(spec: string, rest: string): Spec {
  const at = rest.indexOf('@', 1);
  const identifier = at === -1 ? rest : rest.slice(0, at);
  const range = at === -1 ? 'latest' : rest.slice(at + 1).trim();
  const fault = identifierFault('npm', identifier);
  if (fault !== null) throw invalid(spec, fault, 'mcpd install npm:PKG[@VERSION]');
  if (!RANGE.test(range))
    throw invalid(spec, `"${range.slice(0, 80)}" is no version, tag or range`, `mcpd install npm:${identifier}`);
  return { kind: 'package', of: 'npm', identifier, range };
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
