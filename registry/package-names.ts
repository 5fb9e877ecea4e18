import type { PackageKind } from '../src/core/model.ts';

/** What can be the name or the version of a package: nothing that a tool would read as an option, an address, a file or a shell's word. Pure. */

/** Why `identifier` cannot name a package of that kind; null when it can. */
export function identifierFault(kind: PackageKind, identifier: string): string | null {
  const { pattern, charsMax, isCalled } = IDENTIFIERS[kind];
  if (identifier.length > charsMax) return `${isCalled} has at most ${charsMax} characters`;
  if (identifier.includes('..') || !pattern.test(identifier))
    return `"${identifier.slice(0, SHOWN)}" cannot be ${isCalled}`;
  return null;
}

/** Why `version` is not one exact version of that kind; null when it is. */
export function versionFault(kind: PackageKind, version: string): string | null {
  const shown = `"${version.slice(0, SHOWN)}"`;
  if (version.length > VERSION_CHARS_MAX) return `a version has at most ${VERSION_CHARS_MAX} characters`;
  if (kind === 'oci') return IMAGE_VERSION.test(version) ? null : `${shown} is neither a tag nor a digest`;
  if (version === 'latest') return '"latest" is not one version';
  return EXACT_VERSION.test(version) && !WILDCARD.test(version) ? null : `${shown} is not one exact version`;
}

export interface Image {
  /** Without tag and digest. */
  name: string;
  tag: string | null;
  /** `sha256:…` */
  digest: string | null;
}

/** `ghcr.io/acme/mcp:1.2@sha256:…` in its parts; null for what names no image. */
export function parseImage(reference: string): Image | null {
  const [, name = '', tag = null, digest = null] = IMAGE.exec(reference) ?? [];
  return identifierFault('oci', name) === null ? { name, tag, digest } : null;
}

// — internal —

const SHOWN = 80;
const VERSION_CHARS_MAX = 255;
const EXACT_VERSION = /^v?\d[0-9A-Za-z]*([.+!_-][0-9A-Za-z]+)*$/;
const WILDCARD = /(^|\.)x(\.|$)/i;
const IMAGE_VERSION = /^(\w[\w.-]{0,127}|sha256:[0-9a-f]{64})$/;
const IMAGE = /^(.+?)(?::(\w[\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/;

const IDENTIFIERS: Record<PackageKind, { pattern: RegExp; charsMax: number; isCalled: string }> = {
  npm: {
    pattern: /^(@[a-z0-9~][a-z0-9._~-]*\/)?[a-z0-9~][a-z0-9._~-]*$/i,
    charsMax: 214,
    isCalled: 'the name of a package',
  },
  pypi: { pattern: /^[a-z0-9]([a-z0-9._-]*[a-z0-9])?$/i, charsMax: 214, isCalled: 'the name of a package of PyPI' },
  nuget: { pattern: /^\w+([.-]\w+)*$/, charsMax: 100, isCalled: 'the name of a package of NuGet' },
  oci: {
    pattern:
      /^([a-z0-9]([a-z0-9.-]*[a-z0-9])?(:\d{1,5})?\/)?[a-z0-9]+([._-]+[a-z0-9]+)*(\/[a-z0-9]+([._-]+[a-z0-9]+)*)*$/i,
    charsMax: 255,
    isCalled: 'the name of an image',
  },
  git: {
    pattern:
      /^(https:\/\/[a-z0-9][a-z0-9.-]*(:\d{1,5})?\/|ssh:\/\/(\w[\w.-]*@)?[a-z0-9][a-z0-9.-]*(:\d{1,5})?\/|\w[\w.-]*@[a-z0-9][a-z0-9.-]*:(?=.*[/.])|file:\/\/\/)[\w~%.+/:-]*[\w~%/]$/i,
    charsMax: 2048,
    isCalled: 'the address of a git repository',
  },
  mcpb: { pattern: /^https?:\/\/[^\s"'`<>\\^{|}]+$/i, charsMax: 2048, isCalled: 'the address of a bundle' },
};
