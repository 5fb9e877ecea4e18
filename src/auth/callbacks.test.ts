import { describe, expect, test } from 'vitest';
import { LOGIN_STATES_KEPT } from '../operation-limits.ts';
import { Callbacks, codeOf } from './callbacks.ts';

describe('a browser that comes back', () => {
  test('brings its answer once, and is told how the login went', async () => {
    const callbacks = new Callbacks();
    const login = callbacks.expect();
    const shown = callbacks.answer(`/oauth/callback?code=c1&state=${login.state}&iss=https%3A%2F%2Flogin.test`);
    const params = await login.arrived;
    expect([params.get('code'), params.get('iss')]).toEqual(['c1', 'https://login.test']);
    // The same link again, while the first is being looked at and afterwards.
    expect((await callbacks.answer(`/oauth/callback?code=c2&state=${login.state}`)).status).toBe(410);
    login.end('done');
    expect(await shown).toMatchObject({ status: 200 });
    expect((await shown).html).toContain('logged in');
    expect((await callbacks.answer(`/oauth/callback?code=c3&state=${login.state}`)).status).toBe(410);
    expect((await login.arrived).get('code')).toBe('c1');
  });

  test('without a state, with a wrong one or with two is told that nobody knows it, and disturbs no login', async () => {
    const callbacks = new Callbacks();
    const login = callbacks.expect();
    for (const query of ['', '?code=x', '?code=x&state=wrong', `?code=x&state=${login.state}&state=${login.state}`])
      expect((await callbacks.answer(`/oauth/callback${query}`)).status).toBe(400);
    expect((await callbacks.answer(`/oauth/callback?code=x&code=y&state=${login.state}`)).status).toBe(400);
    void callbacks.answer(`/oauth/callback?code=right&state=${login.state}`);
    expect((await login.arrived).get('code')).toBe('right');
    login.end('failed');
  });

  test('after the login was given up, or failed, is told so, and sees nothing of what it brought', async () => {
    const callbacks = new Callbacks();
    const [late, failing] = [callbacks.expect(), callbacks.expect()];
    late.end('failed');
    expect((await callbacks.answer(`/oauth/callback?code=x&state=${late.state}`)).status).toBe(410);
    const shown = callbacks.answer(`/oauth/callback?error=%3Cscript%3E&state=${failing.state}`);
    await failing.arrived;
    failing.end('failed');
    expect(await shown).toMatchObject({ status: 400 });
    expect((await shown).html).not.toContain('script');
  });

  test('is forgotten in the end', async () => {
    const callbacks = new Callbacks();
    const first = callbacks.expect();
    first.end('failed');
    for (let i = 0; i < LOGIN_STATES_KEPT; i++) callbacks.expect().end('failed');
    expect((await callbacks.answer(`/oauth/callback?state=${first.state}`)).status).toBe(400);
  });
});

test('what the browser brings is a code, or an error in words', () => {
  expect(codeOf(new URLSearchParams('code=abc'))).toBe('abc');
  expect(() => codeOf(new URLSearchParams(''))).toThrow('neither code nor error');
  expect(() => codeOf(new URLSearchParams('error=access_denied&error_description=no+way'))).toThrow('no way');
  expect(() => codeOf(new URLSearchParams('error=invalid_scope'))).toThrow('invalid_scope');
});
