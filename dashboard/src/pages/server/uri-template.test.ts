import { expect, test } from 'vitest';
import { expand, fieldsOfTemplate, parseTemplate } from './uri-template.ts';

const VALUES = {
  var: 'value',
  hello: 'Hello World!',
  path: '/foo/bar',
  empty: '',
  x: '1024',
  y: '768',
  half: '50%',
  list: ['red', 'green', 'blue'],
  none: [],
  semi: ';',
  escaped: 'a%20b%',
};

const filled = (template: string, values: Record<string, unknown> = VALUES) =>
  expand(parseTemplate(template) ?? [], values);

// The examples of RFC 6570, section 3.2.
test.each([
  ['{var}', 'value'],
  ['{hello}', 'Hello%20World%21'],
  ['{half}', '50%25'],
  ['O{empty}X', 'OX'],
  ['O{undef}X', 'OX'],
  ['{x,y}', '1024,768'],
  ['{x,hello,y}', '1024,Hello%20World%21,768'],
  ['?{x,undef}', '?1024'],
  ['{var:3}', 'val'],
  ['{var:30}', 'value'],
  ['{semi:2}', '%3B'],
  ['{list}', 'red,green,blue'],
  ['{list*}', 'red,green,blue'],
  ['{+hello}', 'Hello%20World!'],
  ['{+half}', '50%25'],
  ['{+path}/here', '/foo/bar/here'],
  ['{+path:6}/here', '/foo/b/here'],
  ['{+x,hello,y}', '1024,Hello%20World!,768'],
  ['{+escaped}', 'a%20b%25'],
  ['{#path,x}/here', '#/foo/bar,1024/here'],
  ['X{.var:3}', 'X.val'],
  ['X{.list}', 'X.red,green,blue'],
  ['X{.list*}', 'X.red.green.blue'],
  ['X{.none}', 'X'],
  ['{/var,x}/here', '/value/1024/here'],
  ['{/var:1,var}', '/v/value'],
  ['{/list*}', '/red/green/blue'],
  ['{;x,y,empty}', ';x=1024;y=768;empty'],
  ['{;list*}', ';list=red;list=green;list=blue'],
  ['{?x,y}', '?x=1024&y=768'],
  ['{?x,y,empty}', '?x=1024&y=768&empty='],
  ['{?x,y,undef}', '?x=1024&y=768'],
  ['{?list}', '?list=red,green,blue'],
  ['{&list*}', '&list=red&list=green&list=blue'],
  ['?fixed=yes{&x}', '?fixed=yes&x=1024'],
  ['shared://item/{x}', 'shared://item/1024'],
])('%s is filled in as %s', (template, uri) => {
  expect(filled(template)).toBe(uri);
});

test('letters beyond ASCII, and half of one, are written as bytes', () => {
  expect(filled('x://{a}{?b}', { a: 'é天', b: '\ud800' })).toBe('x://%C3%A9%E5%A4%A9?b=%EF%BF%BD');
});

test.each(['{', 'x}', '{}', '{a', '{a b}', '{=a}', '{a:0}', '{a,}', '{{a}}'])('%s is no template', (text) => {
  expect(parseTemplate(text)).toBeNull();
});

test('each variable is a field once; parts of the path are needed, a query is not', () => {
  const fields = fieldsOfTemplate(parseTemplate('x://{a}/{+b}{?c:3,d*,a}') ?? []);
  expect(fields.map(({ path, required, control, hint }) => [path[0], required, control.kind, hint])).toEqual([
    ['a', true, 'text', ''],
    ['b', true, 'text', ''],
    ['c', false, 'text', 'its first 3 characters are used'],
    ['d', false, 'lines', ''],
  ]);
});

test('a text without braces is a template with nothing to fill in', () => {
  expect(fieldsOfTemplate(parseTemplate('x://a') ?? [])).toEqual([]);
  expect(filled('x://a')).toBe('x://a');
});
