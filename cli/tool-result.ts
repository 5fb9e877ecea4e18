import { shownBytes } from '../src/shown.ts';

/** A tool's result for people: text as it is, everything else by a line that says what it is. Text of a server, so not yet safe. */
export function resultText(result: unknown): string {
  if (!isObject(result)) return '';
  const content = Array.isArray(result['content']) ? result['content'] : [];
  const parts = content.map(partText).filter((text) => text !== '');
  const structured = result['structuredContent'];
  if (parts.length === 0 && structured !== undefined) return JSON.stringify(structured, null, 2);
  return parts.join('\n');
}

/** The tool itself says that it failed. */
export function isToolError(result: unknown): boolean {
  return isObject(result) && result['isError'] === true;
}

// — internal —

function partText(part: unknown): string {
  if (!isObject(part)) return '';
  const text = (key: string) => (typeof part[key] === 'string' ? part[key] : '');
  const type = text('type');
  if (type === 'text') return text('text');
  if (type === 'image' || type === 'audio')
    return `[${type} ${text('mimeType')}, ${shownBytes(Math.floor((text('data').length * 3) / 4))}]`;
  if (type === 'resource_link') return `[resource ${text('uri')} ${text('name')}]`;
  const resource = part['resource'];
  if (type === 'resource' && isObject(resource)) {
    return typeof resource['text'] === 'string'
      ? resource['text']
      : `[resource ${String(resource['uri'] ?? '')} ${String(resource['mimeType'] ?? '')}]`;
  }
  // A kind that came after this program: shown whole rather than left out.
  return JSON.stringify(part);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
