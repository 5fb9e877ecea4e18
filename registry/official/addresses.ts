import { McpdError } from '../../src/errors.ts';
import { isLoopback } from '../../src/loopback.ts';
import { REGISTRIES_MAX, REGISTRY_ADDRESS_CHARS_MAX, REGISTRY_PAGE_ENTRIES } from '../../src/registry-limits.ts';
import { LATEST } from './names.ts';

/** Addresses of the registry API, version 0.1 (https://github.com/modelcontextprotocol/registry, docs/reference/api). Pure. */

export const OFFICIAL_REGISTRY = 'https://registry.modelcontextprotocol.io';

/**
 * The address of a registry as it is kept: without a slash at its end. What comes from there decides what is run, so it must come unchanged:
 * https, or http on this machine.
 * @throws {McpdError} INPUT_INVALID
 */
export function registryAddress(text: string): string {
  const refused = (why: string) =>
    new McpdError('INPUT_INVALID', {
      what: `"${text.slice(0, 80)}" cannot be an MCP registry`,
      why,
      fix: `an address like ${OFFICIAL_REGISTRY}`,
    });
  if (text.length > REGISTRY_ADDRESS_CHARS_MAX) throw refused('it is too long');
  if (!URL.canParse(text)) throw refused('it is no address');
  const url = new URL(text);
  const isSafe = url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
  if (!isSafe)
    throw refused('what it says decides what is run: it must be reached by https, or on this machine by http');
  if (url.username !== '' || url.password !== '') throw refused('an address with a user or a password is kept nowhere');
  if (url.search !== '' || url.hash !== '') throw refused('it must end with the host or a path');
  return `${url.origin}${url.pathname.replace(/\/(v0(\.\d+)?\/?)?$/, '')}`;
}

/**
 * Several addresses in one text, by commas or white space, in the order in which they are asked; none for an empty text.
 * @throws {McpdError} INPUT_INVALID
 */
export function registryAddresses(text: string): string[] {
  const all = [
    ...new Set(
      text
        .split(/[\s,]+/)
        .filter(Boolean)
        .map(registryAddress),
    ),
  ];
  if (all.length <= REGISTRIES_MAX) return all;
  throw new McpdError('INPUT_INVALID', {
    what: `${all.length} MCP registries are more than the ${REGISTRIES_MAX} that are asked`,
  });
}

/** One page of the newest version of each server whose name has `search` in it. */
export function searchAddress(registry: string, search: string, cursor: string | null): string {
  return withQuery(`${registry}/v0.1/servers`, {
    version: LATEST,
    search,
    limit: String(REGISTRY_PAGE_ENTRIES),
    cursor,
  });
}

/** One page of all versions of a server. */
export function versionsAddress(registry: string, name: string, cursor: string | null): string {
  return withQuery(`${registry}/v0.1/servers/${encodeURIComponent(name)}/versions`, { cursor });
}

/** One version; `latest` is the newest. Both texts were checked: `..` would be a step of the path. */
export function versionAddress(registry: string, name: string, version: string): string {
  return `${registry}/v0.1/servers/${encodeURIComponent(name)}/versions/${encodeURIComponent(version)}`;
}

// — internal —

function withQuery(address: string, query: Record<string, string | null>): string {
  const given = Object.entries(query).flatMap(([key, value]): [string, string][] =>
    value === null ? [] : [[key, value]],
  );
  return given.length === 0 ? address : `${address}?${new URLSearchParams(given)}`;
}
