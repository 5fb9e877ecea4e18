import { McpdError } from '../../src/errors.ts';
import type { Published } from '../published.ts';
import { publishedOf } from '../server-json.ts';
import type { Listing } from './answers.ts';

/** A server as an MCP registry lists it: what its publisher says of it, with what the registry says. @throws {McpdError} CONFIG_INVALID */
export function publishedListing({ server, status, statusMessage }: Listing): Published {
  return { ...publishedOf(server), status, statusMessage };
}

/** The same for a list, in which one that cannot be read fails nothing; null. */
export function readablePublished(listing: Listing): Published | null {
  try {
    return publishedListing(listing);
  } catch (thrown) {
    if (thrown instanceof McpdError) return null;
    throw thrown;
  }
}

/**
 * What a server of an MCP registry is called here: the last part of its name, or where that says nothing the last word of its publisher:
 * `io.github.acme/weather` is `weather`, `com.acme/mcp` is `acme`.
 */
export function shortName(name: string): string {
  const [publisher = '', own = ''] = name.split('/');
  return SAYS_NOTHING.test(own) ? (publisher.split('.').findLast((word) => word !== '') ?? own) : own;
}

// — internal —

const SAYS_NOTHING = /^(?:mcp|server|mcp[-_.]?server|server[-_.]?mcp|mcpd)$/i;
