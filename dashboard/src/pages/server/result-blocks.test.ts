import { expect, test } from 'vitest';
import { blocksOf } from './result-blocks.ts';

const of = (result: unknown) => blocksOf(JSON.stringify(result));

test('texts, data, links and structured content of a tool are told apart', () => {
  const blocks = of({
    content: [
      { type: 'text', text: 'hello' },
      { type: 'image', mimeType: 'image/png', data: 'AQID' },
      { type: 'resource_link', uri: 'https://example.org/a', name: 'a' },
      { type: 'resource', resource: { uri: 'x:/1', text: 'inside' } },
      { type: 'hologram', depth: 3 },
    ],
    structuredContent: { n: 1 },
  });
  expect(blocks).toEqual([
    { kind: 'text', text: 'hello' },
    { kind: 'data', type: 'image', mime: 'image/png', bytes: Uint8Array.of(1, 2, 3) },
    {
      kind: 'link',
      title: 'a',
      uri: 'https://example.org/a',
      link: { href: 'https://example.org/a', host: 'example.org' },
    },
    { kind: 'text', text: 'inside' },
    { kind: 'json', title: 'Content', json: JSON.stringify({ type: 'hologram', depth: 3 }, null, 2) },
    { kind: 'json', title: 'Structured content', json: JSON.stringify({ n: 1 }, null, 2) },
  ]);
});

test('messages of a prompt say whose they are, and contents of a resource are shown', () => {
  expect(of({ messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }] })).toEqual([
    { kind: 'text', text: 'user: hi' },
  ]);
  expect(of({ contents: [{ uri: 'a:/', blob: 'AQ==', mimeType: 'x/y' }] })).toEqual([
    { kind: 'data', type: 'resource', mime: 'x/y', bytes: Uint8Array.of(1) },
  ]);
});

test('a link that is not http(s) is never one to follow, and hidden characters are seen', () => {
  expect(of({ content: [{ type: 'resource_link', uri: 'javascript:alert(1)', name: 'x' }] })).toMatchObject([
    { link: null },
  ]);
  const [block] = of({ content: [{ type: 'text', text: 'a\u202eb\u0007' }] }) ?? [];
  const text = block?.kind === 'text' ? block.text : '';
  expect([text.includes('\u202e'), text.includes('\u0007'), text.length > 4]).toEqual([false, false, true]);
});

test('what has no shape that is known, or was cut, is left to its JSON', () => {
  expect(of({ odd: true })).toBeNull();
  expect(of([1])).toBeNull();
  expect(blocksOf('{"content":[{"ty')).toBeNull();
  expect(of({ content: [{ type: 'image', data: '%%' }, 7] })).toMatchObject([{ kind: 'json' }, { kind: 'json' }]);
});
