import { describe, expect, test } from 'vitest';
import { McpdError } from './errors.ts';
import { proxiesOf } from './proxy.ts';

const placeFor = (env: Record<string, string>, url: string) => proxiesOf(env)(new URL(url))?.place ?? null;

test.each<[string, Record<string, string>, string, string | null]>([
  ['https by its own variable', { HTTPS_PROXY: 'http://p.test:3128' }, 'https://a.test/', 'http://p.test:3128'],
  ['http by its own variable', { HTTP_PROXY: 'http://p.test:3128' }, 'http://a.test/', 'http://p.test:3128'],
  ['https not by the one of http', { HTTP_PROXY: 'http://p.test:3128' }, 'https://a.test/', null],
  [
    'by the small name first',
    { https_proxy: 'http://small.test', HTTPS_PROXY: 'http://big.test' },
    'https://a.test/',
    'http://small.test',
  ],
  [
    'directly when the small name is set to nothing',
    { https_proxy: '', HTTPS_PROXY: 'http://big.test' },
    'https://a.test/',
    null,
  ],
  ['by an address without a scheme', { HTTPS_PROXY: 'p.test:3128' }, 'https://a.test/', 'http://p.test:3128'],
  [
    'without the user and the password in what is shown',
    { HTTPS_PROXY: 'http://me:pw@p.test:3128' },
    'https://a.test/',
    'http://p.test:3128',
  ],
  ['directly where nothing is set', {}, 'https://a.test/', null],
])('a request goes %s', (_, env, url, place) => {
  expect(placeFor(env, url)).toBe(place);
});

test.each([
  'http://localhost:8080/',
  'http://a.localhost/',
  'http://127.0.0.1/',
  'http://[::1]:1/',
  'http://127.9.9.9/',
])('what is on this machine, %s, is never asked of a proxy', (url) => {
  expect(placeFor({ HTTP_PROXY: 'http://p.test:3128' }, url)).toBeNull();
});

describe('no_proxy', () => {
  const isDirect = (list: string, url: string) =>
    placeFor({ HTTPS_PROXY: 'http://p.test', NO_PROXY: list }, url) === null;

  test.each<[string, string, boolean]>([
    ['a.test', 'https://a.test/mcp', true],
    ['a.test', 'https://sub.a.test/', true],
    ['.a.test', 'https://sub.a.test/', true],
    ['.a.test', 'https://a.test/', true],
    ['*.a.test', 'https://sub.a.test/', true],
    ['A.Test', 'https://a.TEST/', true],
    ['a.test', 'https://a.test./', true],
    ['a.test', 'https://ba.test/', false],
    ['a.test', 'https://a.test.evil/', false],
    ['b.test, a.test', 'https://a.test/', true],
    ['b.test a.test', 'https://a.test/', true],
    ['*', 'https://a.test/', true],
    ['', 'https://a.test/', false],
    ['.', 'https://a.test/', false],
    ['a.test:443', 'https://a.test/', true],
    ['a.test:8443', 'https://a.test/', false],
    ['a.test:8443', 'https://a.test:8443/', true],
    ['10.0.0.0/8', 'https://10.1.2.3/', true],
    ['10.0.0.0/8', 'https://11.1.2.3/', false],
    ['10.1.2.3', 'https://10.1.2.3/', true],
    ['10.0.0.0/99', 'https://10.1.2.3/', false],
    ['2.3', 'https://10.1.2.3/', false],
    ['fd00::/8', 'https://[fd12::1]/', true],
    ['fd12::1', 'https://[fd12::1]/', true],
    ['[fd12::1]:443', 'https://[fd12::1]/', true],
    ['fd12::1', 'https://[fd12::2]/', false],
  ])('%s and %s: directly is %s', (list, url, direct) => {
    expect(isDirect(list, url)).toBe(direct);
  });
});

test('user and password go to the proxy as they were meant, also with a percent sign in them', () => {
  const login = (address: string) => proxiesOf({ HTTPS_PROXY: address })(new URL('https://a.test'))?.authorization;
  expect(login('http://me:p%40ss@p.test')).toBe(`Basic ${btoa('me:p@ss')}`);
  expect(login('http://me:50%@p.test')).toBe(`Basic ${btoa('me:50%')}`);
  expect(login('http://p.test')).toBeNull();
});

test.each(['socks5://me:hunter2@p.test', 'http://', 'http://me:hunter2@:x'])(
  'an address that is none, %s, is an error that names the variable and repeats no password',
  (address) => {
    let thrown: unknown;
    try {
      placeFor({ HTTPS_PROXY: address }, 'https://a.test/');
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(McpdError);
    expect((thrown as McpdError).report()).toMatchObject({ code: 'PROXY_FAILED', what: 'HTTPS_PROXY cannot be used' });
    expect(JSON.stringify((thrown as McpdError).report())).not.toContain('hunter2');
  },
);
