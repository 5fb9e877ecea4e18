import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isToolError, resultText } from './tool-result.ts';

test('text comes as it is, other content by what it is', () => {
  const content = [
    { type: 'text', text: 'sunny\n21 °C' },
    { type: 'image', mimeType: 'image/png', data: 'A'.repeat(4096) },
    { type: 'resource_link', uri: 'file:///a', name: 'a' },
    { type: 'resource', resource: { uri: 'x:1', text: 'inside' } },
    { type: 'resource', resource: { uri: 'x:2', mimeType: 'application/pdf', blob: 'AA==' } },
    { type: 'hologram', depth: 3 },
  ];
  expect(resultText({ content }).split('\n')).toEqual([
    'sunny',
    '21 °C',
    '[image image/png, 3.0 KiB]',
    '[resource file:///a a]',
    'inside',
    '[resource x:2 application/pdf]',
    '{"type":"hologram","depth":3}',
  ]);
});

test('a result with structured content only is shown as JSON', () => {
  expect(resultText({ content: [], structuredContent: { a: 1 } })).toBe('{\n  "a": 1\n}');
});

test('an error is what the tool itself calls one', () => {
  expect(isToolError({ content: [], isError: true })).toBe(true);
  expect(isToolError({ content: [], isError: 'true' })).toBe(false);
});

test('whatever a server answers is survived', () => {
  fc.assert(
    fc.property(
      fc.jsonValue(),
      (value) => typeof resultText(value) === 'string' && typeof resultText({ content: value }) === 'string',
    ),
  );
});
