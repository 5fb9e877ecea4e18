import { expect, test } from 'vitest';
import { MergedLists } from './listing.ts';
import { NameTable } from './names.ts';
import type { KnownServer } from './state.ts';
import { UriTable } from './uris.ts';

/** The list of one server with these raw tools, as a legacy host gets it. */
function listed(...tools: string[]): string {
  const names = new NameTable([]);
  names.assign('notes', [['tool', tools.map((tool) => (JSON.parse(tool) as { name: string }).name)]]);
  const known = { definition: { enabled: true }, memory: { lists: [{ kind: 'tools', entries: tools }] } };
  const servers = new Map([['notes', known as unknown as KnownServer]]);
  return Buffer.from(new MergedLists(names, new UriTable([])).result('tools', 'legacy', servers)).toString();
}

test('an entry keeps every byte but its name, however the server prints JSON', () => {
  expect(listed('{"name":"add","inputSchema":{"type":"object","maximum":12345678901234567890},"é":"\\u00e9"}')).toBe(
    '{"tools":[{"name":"notes__add","inputSchema":{"type":"object","maximum":12345678901234567890},"é":"\\u00e9"}]}',
  );
  expect(listed('{"title":"Add","name":"add","inputSchema":{"properties":{"name":{}}}}')).toBe(
    '{"tools":[{"title":"Add","name":"notes__add","inputSchema":{"properties":{"name":{}}}}]}',
  );
  expect(listed('{"name":"a\\"d","inputSchema":{}}')).toMatch(
    /^{"tools":\[{"name":"notes__a_d_\w{8}","inputSchema":{}}\]}$/,
  );
  expect(listed('{ "name" : "add", "inputSchema" : {"type": "object"} }')).toBe(
    '{"tools":[{"name":"notes__add","inputSchema" : {"type": "object"}}]}',
  );
});

test('a name given twice is replaced twice, so that no reader finds the raw one', () => {
  const twice = '{"tools":[{"name":"notes__add","name":"notes__add"}]}';
  expect(listed('{"name":"add","name":"add"}')).toBe(twice);
  expect(listed('{"name":"add","n\\u0061me":"add"}')).toBe(twice);
});

test('an output schema without an object at its root is kept from legacy hosts alone', () => {
  expect(listed('{"name":"add","outputSchema":{"type":"array"}}')).toBe('{"tools":[{"name":"notes__add"}]}');
  expect(listed('{"name":"add","outputSchema":{"type":"object"}}')).toBe(
    '{"tools":[{"name":"notes__add","outputSchema":{"type":"object"}}]}',
  );
});

test('members that look like those of the language are members like any other', () => {
  const odd = '{"name":"add","__proto__":{"a":1},"constructor":1}';
  expect(listed(odd)).toBe('{"tools":[{"name":"notes__add","__proto__":{"a":1},"constructor":1}]}');
});
