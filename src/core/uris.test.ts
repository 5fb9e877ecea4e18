import { expect, test } from 'vitest';
import { templateWeight, UriTable } from './uris.ts';

const doc = (server: string) => ({
  server,
  uris: ['shared://doc', `own://${server}`],
  templates: ['shared://item/{id}'],
});

test('a URI of one server passes verbatim', () => {
  const table = new UriTable([]);
  table.rebuild([doc('a')]);
  expect(table.exposed('a', 'shared://doc')).toBe('shared://doc');
  expect(table.resolve('shared://doc')).toEqual({ server: 'a', raw: 'shared://doc' });
});

test('a URI of two servers is marked for both, in the same way whoever came first', () => {
  const [one, other] = [new UriTable([]), new UriTable([])];
  one.rebuild([doc('a'), doc('b')]);
  other.rebuild([doc('b'), doc('a')]);
  for (const table of [one, other]) {
    expect(table.exposed('a', 'shared://doc')).toBe('shared://doc#mcpd=a');
    expect(table.exposed('b', 'shared://doc')).toBe('shared://doc#mcpd=b');
    expect(table.exposed('b', 'own://b')).toBe('own://b');
    expect(table.resolve('shared://doc#mcpd=b')).toEqual({ server: 'b', raw: 'shared://doc' });
    expect(table.resolve('shared://item/7#mcpd=a')).toEqual({ server: 'a', raw: 'shared://item/7' });
  }
});

test('the bare URI goes on meaning the server that had it first, also after a restart', () => {
  const first = new UriTable([]);
  const rows = first.rebuild([doc('b')]);
  const later = new UriTable(rows);
  later.rebuild([doc('a'), doc('b')]);
  expect(later.resolve('shared://doc')).toEqual({ server: 'b', raw: 'shared://doc' });
});

test('an unlisted URI goes to the template that fits it best, then to the only user of its scheme', () => {
  const table = new UriTable([]);
  table.rebuild([
    { server: 'a', uris: ['note://1'], templates: ['file:///{+path}'] },
    { server: 'b', uris: [], templates: ['file:///logs/{name}'] },
  ]);
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
