/**
 * One good tool among entries that break a strict reader: schemas that are missing, not objects, contradictory or endless, and entries
 * that are no tools at all. The names say what should become of them: `keep-…` can be listed as it is, `mend-…` with a repaired
 * schema, `drop-…` not at all.
 */
import { object, serve, text } from './base.mjs';

const listed = [
  { name: 'good', description: 'The good one', inputSchema: object({ city: { type: 'string' } }, ['city']) },
  { name: 'keep-empty-object', inputSchema: { type: 'object' } },
  {
    name: 'keep-unknown-keywords',
    inputSchema: { type: 'object', 'x-vendor': { deep: [1, 2] }, propertyOrdering: ['a'] },
  },
  {
    name: 'keep-unknown-members',
    inputSchema: { type: 'object' },
    cost: 0.5,
    tags: ['a'],
    annotations: { madeUpHint: true },
  },
  { name: 'keep-reference-to-itself', inputSchema: { type: 'object', properties: { child: { $ref: '#' } } } },
  {
    name: 'keep-remote-reference',
    inputSchema: { type: 'object', properties: { a: { $ref: 'https://schemas.invalid/a.json' } } },
  },
  { name: 'keep-bad-pattern', inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '(' } } } },
  { name: 'keep-old-dialect', inputSchema: { $schema: 'http://json-schema.org/draft-04/schema#', type: 'object' } },
  { name: 'keep-boolean-property', inputSchema: { type: 'object', properties: { anything: true } } },
  {
    name: 'keep-odd-output-schema',
    inputSchema: { type: 'object' },
    outputSchema: { type: 'array', items: { type: 'string' } },
  },
  { name: 'mend-no-schema' },
  { name: 'mend-null-schema', inputSchema: null },
  { name: 'mend-schema-without-type', inputSchema: { properties: { a: { type: 'string' } } } },
  { name: 'mend-union-of-objects', inputSchema: { anyOf: [{ type: 'object' }, { type: 'object', properties: {} }] } },
  { name: 'mend-null-description', description: null, inputSchema: { type: 'object' } },
  { name: 'drop-schema-is-text', inputSchema: 'object' },
  { name: 'drop-schema-is-array', inputSchema: [] },
  { name: 'drop-schema-of-string', inputSchema: { type: 'string' } },
  { name: '', description: 'drop: no name to call it by', inputSchema: { type: 'object' } },
  { name: 7, description: 'drop: a number for a name', inputSchema: { type: 'object' } },
  { description: 'drop: no name at all', inputSchema: { type: 'object' } },
  null,
  'drop: a text',
];

serve({
  name: 'odd-schemas',
  tools: [],
  methods: {
    'tools/list': () => ({ tools: listed }),
    'tools/call': ({ name }) => text(`called ${name}`),
  },
});
