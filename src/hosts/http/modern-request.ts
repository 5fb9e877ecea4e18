import { jsonString } from '../../protocol/members.ts';
import { type ModernEnvelope, missingInEnvelope, NO_ENVELOPE } from '../../protocol/meta.ts';
import { routeOf } from '../../protocol/methods.ts';
import { param, type RequestView } from '../../protocol/request-view.ts';
import { MODERN_REVISION } from '../../protocol/revisions.ts';
import type { Head } from './head.ts';
import { decodedValue } from './header-value.ts';
import { headerMismatch, methodNotFound, missingKeys, type Problem, unservedRevision } from './problem.ts';

/**
 * A stateless request: its envelope, and its headers against its body. Names are compared as the host wrote them, before any of them is
 * looked up. Null: it may go to the core.
 */
export function modernFault(head: Head, view: RequestView, envelope: ModernEnvelope | null): Problem | null {
  const version = envelope?.protocolVersion ?? null;
  if (version !== null && head.version !== version) return versionMismatch(head.version, version);
  if (version !== null && version !== MODERN_REVISION) return unservedRevision(version);
  const missing = missingInEnvelope(envelope ?? NO_ENVELOPE);
  if (missing.length > 0) return missingKeys(missing);
  return methodFault(head, view) ?? nameFault(head, view) ?? unknownMethodFault(view);
}

// — internal —

/** Which member of the params a host repeats in `Mcp-Name`. */
const NAMED_BY: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

function versionMismatch(given: string | null, version: string): Problem {
  if (given === null) return headerMismatch(`MCP-Protocol-Version is missing, the body says ${version}`);
  return headerMismatch(`MCP-Protocol-Version is ${given}, the body says ${version}`);
}

function methodFault(head: Head, { request }: RequestView): Problem | null {
  if (head.method === request.method) return null;
  if (head.method === null) return headerMismatch(`Mcp-Method is missing, the body says ${request.method}`);
  return headerMismatch(`Mcp-Method is ${head.method}, the body says ${request.method}`);
}

function nameFault(head: Head, view: RequestView): Problem | null {
  const key = NAMED_BY.get(view.request.method);
  if (key === undefined) return null;
  const value = param(view, key);
  const name = value === null ? null : jsonString(view.bytes, value);
  // Without a name the request is wrong anyway, and the core says so.
  if (name === null) return null;
  if (head.name === null) return headerMismatch(`Mcp-Name is missing, the body says ${name}`);
  const decoded = decodedValue(head.name);
  if (decoded === name) return null;
  return headerMismatch(
    decoded === null ? 'Mcp-Name is not a valid value' : `Mcp-Name is ${decoded}, the body says ${name}`,
  );
}

function unknownMethodFault({ request }: RequestView): Problem | null {
  return routeOf(request.method, 'modern') === null ? methodNotFound(request.method) : null;
}
