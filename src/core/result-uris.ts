import { RESULT_URIS_BYTES_MAX } from '../limits.ts';
import { type Edit, join } from '../protocol/bytes.ts';
import type { Frame, Span } from '../protocol/frame.ts';
import { elements, jsonString, member } from '../protocol/members.ts';
import type { Call } from './call.ts';
import type { UriTable } from './uris.ts';

/**
 * Where a server shares URIs with another one, its results name them as hosts know them: in what it reads, in links, and in embedded
 * resources. Otherwise a host that follows such a link would be sent to the other server.
 */
export function uriEdits(uris: UriTable, call: Call, frame: Frame): Edit[] {
  if (frame.envelope.kind !== 'result' || frame.length > RESULT_URIS_BYTES_MAX) return [];
  const bytes = join(frame.bytes);
  const edits: Edit[] = [];
  for (const span of resourcesIn(bytes, frame.envelope.result, call.method)) {
    const value = member(bytes, span, 'uri');
    const uri = value === null ? null : jsonString(bytes, value);
    if (value === null || uri === null) continue;
    const asked = uri === call.target ? call.exposedUri : null;
    const shown = asked ?? uris.exposed(call.server, uri);
    if (shown !== uri) edits.push({ start: value.start, end: value.end, with: JSON.stringify(shown) });
  }
  return edits;
}

// — internal —

/** The objects of a result that carry the URI of a resource. */
function resourcesIn(bytes: Uint8Array, result: Span, method: string): Span[] {
  switch (method) {
    case 'resources/read':
      return elementsOf(bytes, result, 'contents');
    case 'tools/call':
    case 'tasks/result':
      return elementsOf(bytes, result, 'content').flatMap((block) => resourceIn(bytes, block));
    case 'tasks/get': {
      const outcome = member(bytes, result, 'result');
      return outcome === null ? [] : resourcesIn(bytes, outcome, 'tasks/result');
    }
    case 'prompts/get':
      return elementsOf(bytes, result, 'messages').flatMap((message) => {
        const content = member(bytes, message, 'content');
        return content === null ? [] : resourceIn(bytes, content);
      });
    default:
      return [];
  }
}

/** A content block is a link itself, or holds a resource. */
function resourceIn(bytes: Uint8Array, block: Span): Span[] {
  const type = member(bytes, block, 'type');
  const kind = type === null ? null : jsonString(bytes, type);
  if (kind === 'resource_link') return [block];
  const resource = kind === 'resource' ? member(bytes, block, 'resource') : null;
  return resource === null ? [] : [resource];
}

function elementsOf(bytes: Uint8Array, object: Span, key: string): Span[] {
  const list = member(bytes, object, key);
  return list === null ? [] : elements(bytes, list);
}
