import { expect, test } from 'vitest';
import { templateWeight, UriTable } from './uris.ts';

const doc = (server: string) => ({
  uris: ['shared://doc', `own://${server}`],
  templates: ['shared://item/{id}'],
});

/** A table of servers that all list `shared://doc`, in the order in which they came. */
const tableOf = (...servers: string[]) => {
  const table = new UriTable([]);
  for (const server of servers) table.take(server, doc(server));
  return table;
};

test('a URI of one server passes verbatim', () => {
  const table = tableOf('a');
  expect(table.exposed('a', 'shared://doc')).toBe('shared://doc');
  expect(table.resolve('shared://doc')).toEqual({ server: 'a', raw: 'shared://doc' });
});

test('a URI of two servers is marked for both, in the same way whoever came first', () => {
  for (const table of [tableOf('a', 'b'), tableOf('b', 'a')]) {
    expect(table.exposed('a', 'shared://doc')).toBe('shared://doc#mcpd=a');
    expect(table.exposed('b', 'shared://doc')).toBe('shared://doc#mcpd=b');
    expect(table.exposed('b', 'own://b')).toBe('own://b');
    expect(table.resolve('shared://doc#mcpd=b')).toEqual({ server: 'b', raw: 'shared://doc' });
    expect(table.resolve('shared://item/7#mcpd=a')).toEqual({ server: 'a', raw: 'shared://item/7' });
  }
});

test('the bare URI goes on meaning the server that had it first, also after a restart', () => {
  const rows = new UriTable([]).take('b', doc('b'));
  const later = new UriTable(rows);
  later.take('a', doc('a'));
  later.take('b', doc('b'));
  expect(later.resolve('shared://doc')).toEqual({ server: 'b', raw: 'shared://doc' });
});

test('an unlisted URI goes to the template that fits it best, then to the only user of its scheme', () => {
  const table = new UriTable([]);
  table.take('a', { uris: ['note://1'], templates: ['file:///{+path}'] });
  table.take('b', { uris: [], templates: ['file:///logs/{name}'] });
  expect(table.resolve('file:///logs/x')?.server).toBe('b');
  expect(table.resolve('file:///logs/x/y')?.server).toBe('a');
  expect(table.resolve('note://999')?.server).toBe('a');
  expect(table.resolve('gopher://x')).toBeNull();
});

test.each([
  ['db://{table}', 'db://users', true],
  ['db://{table}', 'db://users/1', false],
  ['db://{table}/{id}', 'db://users/1', true],
  ['x://{+path}{?q*}', 'x://a/b/c?d=1', true],
  ['x://fixed', 'x://fixed', true],
  ['x://fixed', 'x://fixed/more', false],
  ['x://{a}/end', 'x://1/end', true],
  ['x://{a}/end', 'x://1/other', false],
])('template %s and %s fit: %s', (template, uri, fits) => {
  expect(templateWeight(template, uri) >= 0).toBe(fits);
});
