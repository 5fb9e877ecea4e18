import { describe, expect, test } from 'vitest';
import { frameOf, textOf } from '../../test/simulated/messages.ts';
import { type Edit, splice } from './bytes.ts';
import { editsForHost, type Way } from './host-results.ts';
import { LEGACY_REVISIONS, MODERN_REVISION } from './revisions.ts';

const OLDEST = '2024-11-05';
const WITH_AUDIO = '2025-03-26';
const WITH_LINKS = '2025-06-18';

function way(serverEra: Way['serverEra'], hostRevision: string): Way {
  return { serverEra, hostEra: hostRevision === MODERN_REVISION ? 'modern' : 'legacy', hostRevision };
}

/** What a host of that revision is given for this result of a server of that era, as text. */
function given(result: string, to: Way, method = 'tools/call', made: (whole: string) => Edit[] = () => []): unknown {
  const whole = `{"jsonrpc":"2.0","id":1,"result":${result}}`;
  const frame = frameOf(whole);
  if (frame.envelope.kind !== 'result') throw new RangeError('no result');
  const edits = editsForHost(frame, frame.envelope.result, method, to, made(whole));
  if (!Array.isArray(edits)) return edits;
  const line = textOf(splice(frame.bytes, frame.length, edits as Edit[], 1 << 20));
  JSON.parse(line);
  return /"result":(.*)\}\n$/s.exec(line)?.[1];
}

const audio = '{"type":"audio", "data":"UklGRg==","mimeType":"audio/wav","annotations":{"priority":1.0},"x":1}';
const link =
  '{"type":"resource_link","uri":"file:///a","name":"a","title":"A \\"file\\"","mimeType":"text/plain","description":"Says A","_meta":{"k":1.0}}';
const words = '{"type":"text","text":"an \\"audio\\" and a resource_link"}';

describe('a block that a host does not know', () => {
  test('a sound is an embedded resource for 2024-11-05, whatever the era of its server', () => {
    const resource =
      '{"type":"resource","resource":{"uri":"mcpd://audio/1","mimeType":"audio/wav","blob":"UklGRg=="},"annotations":{"priority":1.0}}';
    for (const era of ['legacy', 'modern'] as const)
      expect(given(`{"content":[${words}, ${audio}]}`, way(era, OLDEST))).toBe(`{"content":[${words}, ${resource}]}`);
    const both = `{"messages":[{"role":"user","content":${audio}},{"role":"user","content":${audio}}],"description":"d"}`;
    expect(given(both, way('legacy', OLDEST), 'prompts/get')).toBe(
      `{"messages":[{"role":"user","content":${resource}},{"role":"user","content":${resource.replace('/1', '/2')}}],"description":"d"}`,
    );
    expect(given('{"content":[{"type":"audio","data":"AA=="}]}', way('legacy', OLDEST))).toBe(
      '{"content":[{"type":"resource","resource":{"uri":"mcpd://audio/1","blob":"AA=="}}]}',
    );
  });

  test('a link is text for revisions before 2025-06-18', () => {
    const text = '{"type":"text","text":"A \\"file\\": file:///a (text/plain)\\nSays A","_meta":{"k":1.0}}';
    for (const revision of [OLDEST, WITH_AUDIO])
      expect(given(`{"content":[${link},${words}]}`, way('legacy', revision))).toBe(`{"content":[${text},${words}]}`);
    expect(given('{"content":[{"uri":"x:1","type":"resource_link"}]}', way('modern', WITH_AUDIO))).toBe(
      '{"content":[{"type":"text","text":"x:1"}]}',
    );
  });

  test('a link keeps the URI under which hosts know the resource, and other edits stay', () => {
    const rename = (whole: string): Edit[] => {
      const at = whole.indexOf('"file:///a"');
      return [
        { start: whole.indexOf('1,'), end: whole.indexOf('1,') + 1, with: '"host id"' },
        { start: at, end: at + '"file:///a"'.length, with: '"file:///a#mcpd=b"' },
      ];
    };
    expect(given(`{"content":[${link}]}`, way('legacy', OLDEST), 'tools/call', rename)).toContain(
      'file:///a#mcpd=b (text/plain)',
    );
    expect(given(`{"content":[${link}]}`, way('legacy', WITH_LINKS), 'tools/call', rename)).toContain(
      '"uri":"file:///a#mcpd=b"',
    );
  });

  test('passes untouched to hosts that know it, and where the words are no block', () => {
    const known = `{"content":[${audio},${link}]}`;
    for (const revision of [WITH_LINKS, '2025-11-25']) expect(given(known, way('legacy', revision))).toBe(known);
    expect(given(known, way('modern', MODERN_REVISION))).toBe(known);
    expect(given(`{"content":[${audio}]}`, way('legacy', WITH_AUDIO))).toBe(`{"content":[${audio}]}`);
    for (const other of [
      `{"content":[${words}],"structuredContent":{"type":"audio","data":"x"}}`,
      '{"content":{"type":"audio"}}',
      '{"content":["audio",{"kind":"resource_link"},{"type":"resource_link"}]}',
    ])
      expect(given(other, way('legacy', OLDEST))).toBe(other);
    expect(given(`{"contents":[${link}]}`, way('legacy', OLDEST), 'resources/read')).toBe(`{"contents":[${link}]}`);
  });

  test('a frame without such a block gives back the very edits that were made', () => {
    const frame = frameOf(`{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x"}]}}`);
    if (frame.envelope.kind !== 'result') throw new RangeError('no result');
    const made: Edit[] = [{ start: 0, end: 0, with: '' }];
    for (const revision of LEGACY_REVISIONS)
      expect(editsForHost(frame, frame.envelope.result, 'tools/call', way('legacy', revision), made)).toBe(made);
  });
});

describe('content that is missing', () => {
  test.each([
    ['legacy', OLDEST],
    ['legacy', WITH_AUDIO],
    ['modern', WITH_LINKS],
    ['modern', '2025-11-25'],
  ] as const)('is the structured content as text, from a %s server to a host of %s', (era, revision) => {
    expect(given('{"structuredContent":{"a":1.0}}', way(era, revision))).toBe(
      '{"content":[{"type":"text","text":"{\\"a\\":1.0}"}],"structuredContent":{"a":1.0}}',
    );
    expect(given('{"content":[],"structuredContent":{"a":1}}', way(era, revision))).toBe(
      '{"content":[],"structuredContent":{"a":1}}',
    );
  });

  test('is added besides what a modern result loses', () => {
    expect(given('{"resultType":"complete","structuredContent":{"a":1},"ttlMs":1}', way('modern', OLDEST))).toBe(
      '{"content":[{"type":"text","text":"{\\"a\\":1}"}],"structuredContent":{"a":1}}',
    );
    expect(given(`{"resultType":"complete","content":[${audio}],"structuredContent":7}`, way('modern', OLDEST))).toBe(
      '{"content":[{"type":"resource","resource":{"uri":"mcpd://audio/1","mimeType":"audio/wav","blob":"UklGRg=="},"annotations":{"priority":1.0}}]}',
    );
    expect(given('{"structuredContent":{"a":1}}', way('legacy', WITH_LINKS))).toBe('{"structuredContent":{"a":1}}');
  });
});

test('between the eras a result is completed, or plain, or not for the host at all', () => {
  expect(given('{"a":1}', way('legacy', MODERN_REVISION))).toBe('{"resultType":"complete","a":1}');
  expect(given('{"resultType":"complete","a":1}', way('modern', OLDEST))).toBe('{"a":1}');
  expect(given('{"resultType":"input_required"}', way('modern', WITH_LINKS))).toEqual({
    resultType: 'input_required',
  });
});
