import { safeLink, shown } from '../../text.ts';

/** A result taken apart for people. Pure. What is parsed out of a result is the server's own text again, and is made safe here. */
export type Block =
  | { kind: 'text'; text: string }
  | { kind: 'data'; type: string; mime: string; bytes: Uint8Array<ArrayBuffer> }
  | { kind: 'link'; title: string; uri: string; link: { href: string; host: string } | null }
  | { kind: 'json'; title: string; json: string };

/** Null for a result that is not of a known shape: then its JSON is all there is to show. */
export function blocksOf(json: string): Block[] | null {
  let result: unknown;
  try {
    result = JSON.parse(json);
  } catch {
    return null; // It was cut.
  }
  if (!isObject(result)) return null;
  const blocks = [
    ...listOf(result['content']).map(contentBlock),
    ...listOf(result['messages']).map((message) => messageBlock(message)),
    ...listOf(result['contents']).map(resourceBlock),
  ];
  if ('structuredContent' in result) blocks.push(jsonBlock('Structured content', result['structuredContent']));
  return blocks.length === 0 ? null : blocks;
}

// — internal —

function contentBlock(content: unknown): Block {
  if (!isObject(content)) return jsonBlock('Content', content);
  switch (content['type']) {
    case 'text':
      return { kind: 'text', text: shown(textOf(content['text'])) };
    case 'image':
    case 'audio':
      return (
        dataBlock(String(content['type']), textOf(content['mimeType']), textOf(content['data'])) ??
        jsonBlock('Content', content)
      );
    case 'resource_link': {
      const uri = textOf(content['uri']);
      return {
        kind: 'link',
        title: shown(textOf(content['title'] ?? content['name'])),
        uri: shown(uri),
        link: safeLink(uri),
      };
    }
    case 'resource':
      return resourceBlock(content['resource']);
    default:
      return jsonBlock('Content', content);
  }
}

function messageBlock(message: unknown): Block {
  const content = isObject(message) ? contentBlock(message['content']) : jsonBlock('Message', message);
  if (content.kind !== 'text' || !isObject(message)) return content;
  return { kind: 'text', text: `${shown(textOf(message['role']))}: ${content.text}` };
}

function resourceBlock(resource: unknown): Block {
  if (!isObject(resource)) return jsonBlock('Resource', resource);
  if (typeof resource['text'] === 'string') return { kind: 'text', text: shown(resource['text']) };
  const data = dataBlock('resource', textOf(resource['mimeType']), textOf(resource['blob']));
  return data ?? jsonBlock('Resource', resource);
}

function dataBlock(type: string, mime: string, base64: string): Block | null {
  try {
    const bytes = Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
    return base64 === '' ? null : { kind: 'data', type, mime: shown(mime), bytes };
  } catch {
    return null; // No base64: shown as it is.
  }
}

function jsonBlock(title: string, value: unknown): Block {
  return { kind: 'json', title, json: shown(JSON.stringify(value, null, 2) ?? 'null') };
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
