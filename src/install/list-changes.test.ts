import { expect, test } from 'vitest';
import type { ListKind, ServerMemory } from '../core/model.ts';
import { UPDATE_VALUE_CHARS_MAX } from '../operation-limits.ts';
import { listChanges } from './list-changes.ts';

const memory = (kind: ListKind, ...entries: object[]): ServerMemory => ({
  ...{ fingerprint: '', era: 'legacy', protocolVersion: '', serverInfo: '{}', capabilities: '{}', instructions: null },
  lists: [{ kind, entries: entries.map((entry) => JSON.stringify(entry)), findings: [] }],
  ...{ variants: [], callsBack: false },
});

test('entries are compared by name, and members by what they are: their order says nothing', () => {
  const before = memory('tools', { name: 'a', inputSchema: { type: 'object', properties: {} } }, { name: 'b' });
  const after = memory('tools', { name: 'b' }, { inputSchema: { properties: {}, type: 'object' }, name: 'a' });
  expect(listChanges(before, after)).toEqual([]);
});

test('what is new, gone or different is told member by member', () => {
  const before = memory('resources', { uri: 'a:1', name: 'one' }, { uri: 'a:2' });
  const after = memory('resources', { uri: 'a:1', name: 'two', title: 'T' }, { uri: 'a:3' });
  expect(listChanges(before, after)).toEqual([
    {
      ...{ list: 'resources', key: 'a:1', change: 'changed' },
      members: [
        { name: 'name', before: '"one"', after: '"two"' },
        { name: 'title', before: null, after: '"T"' },
      ],
    },
    { list: 'resources', key: 'a:2', change: 'removed', members: [] },
    { list: 'resources', key: 'a:3', change: 'added', members: [] },
  ]);
});

test('of a server that was never read everything is new, and a long text is cut', () => {
  const description = 'x'.repeat(UPDATE_VALUE_CHARS_MAX);
  const [added] = listChanges(null, memory('tools', { name: 'a', description }));
  expect(added).toMatchObject({ change: 'added', key: 'a' });
  expect(added?.members[0]?.after).toMatch(/x… \(\d+ characters\)$/);
});
