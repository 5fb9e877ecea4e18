import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LoginLink } from '../../src/api/contract/logins.ts';
import { type LoginChoice, RemoteLogins } from '../../src/auth/remote-logins.ts';
import { McpdError } from '../../src/errors.ts';
import { LOGIN_REVOKE_MS } from '../../src/operation-limits.ts';
import { pathsOf } from '../../src/paths.ts';
import { openSecrets, type Secrets } from '../../src/secrets.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../harness/authorization-server.ts';
import { Browser, type Page } from '../harness/browser.ts';
import { type ProtectedServer, startProtectedServer } from '../harness/protected-server.ts';
import { inFiles, keptText } from '../harness/secrets.ts';

const HOUR_MS = 3_600_000;

describe('logins at remote servers, with a real authorization server', () => {
  let folder: string;
  let issuer: AuthorizationServer;
  let server: ProtectedServer;
  let secrets: Secrets;
  let logins: RemoteLogins;
  let browser: Browser;
  /** How far the clock of mcpd is ahead of the authorization server's. */
  let aheadMs = 0;
  const closing: { close(): Promise<void> }[] = [];
  const never = new AbortController().signal;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'mcpd-logins-'));
    issuer = await startAuthorizationServer();
    server = await startProtectedServer(issuer);
    closing.push(issuer, server);
    browser = new Browser();
    aheadMs = 0;
    logins = await opened();
  });
  afterEach(async () => {
    logins.close(new McpdError('LOGIN_CANCELLED', { what: 'the test is over' }));
    await Promise.all(closing.splice(0).map((each) => each.close()));
    rmSync(folder, { recursive: true, force: true });
  });

  /** As a daemon that starts has them. */
  async function opened(clientMetadataUrl: string | null = null): Promise<RemoteLogins> {
    secrets = await openSecrets(pathsOf(folder), inFiles());
    return new RemoteLogins({ secrets, port: () => null, now: () => Date.now() + aheadMs, clientMetadataUrl, fetch });
  }

  /** One request as the transport makes it: with what there is, and once more when that is worth it. */
  async function ask(
    name: string,
    target: ProtectedServer,
    tool?: string,
  ): Promise<number | { locked: string } | { scope: string | null }> {
    for (let round = 0; ; round++) {
      const sent = await logins.header(name, target.url);
      const answer = await fetch(target.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(sent === null ? {} : { authorization: sent }) },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: tool === undefined ? 'ping' : 'tools/call',
          params: { name: tool },
        }),
      });
      await answer.body?.cancel();
      const { status } = answer;
      if (status !== 401 && status !== 403) return status;
      const wwwAuthenticate = answer.headers.get('www-authenticate');
      const next = await logins.challenged(name, { status, wwwAuthenticate, url: target.url, sent });
      if (next !== 'retry' || round === 1) return next === 'retry' ? status : next;
    }
  }

  /** A login from its link to its end. */
  async function logIn(name = 'notes', target = server, account = 'ann', agrees = true) {
    let page: Promise<Page> | null = null;
    const login = logins.login(name, target.url, {}, ({ url }) => (page = browser.logIn(url, account, agrees)), never);
    const info = await login.then(
      (value) => value,
      (error: unknown) => error as McpdError,
    );
    return { info, page: page === null ? null : await (page as Promise<Page>) };
  }

  const grantText = (name = 'notes') => [...secrets.mapOf(`oauth:${name}`).values()].join('\n');

  test('nobody is let in before the login, and the same request afterwards, also by the next daemon', async () => {
    expect(await ask('notes', server)).toEqual({ locked: 'it wants a login' });
    const { info, page } = await logIn();
    expect(info).toMatchObject({ issuer: issuer.issuer, resource: server.url, scopes: ['mcp:read'], renews: true });
    expect(page).toMatchObject({ status: 200 });
    expect(page?.text).toContain('You are logged in');
    expect(await ask('notes', server)).toBe(200);
    logins = await opened();
    expect(await ask('notes', server)).toBe(200);
    expect(logins.info('notes', server.url)).toMatchObject({ issuer: issuer.issuer });
    expect(JSON.stringify(logins.info('notes', server.url))).not.toContain(JSON.parse(grantText()).accessToken);
    // Registered once, with PKCE and the resource in the link.
    const link = new URL(browser.visited[0] ?? '');
    expect(link.searchParams.get('code_challenge_method')).toBe('S256');
    expect(link.searchParams.get('resource')).toBe(server.url);
    expect(issuer.requests.filter((each) => each === 'POST /reg')).toHaveLength(1);
  });

  test('ten requests at once with a token that ends are one renewal', async () => {
    await logIn();
    const before = JSON.parse(grantText());
    aheadMs = HOUR_MS;
    expect(await Promise.all(Array.from({ length: 10 }, () => ask('notes', server)))).toEqual(Array(10).fill(200));
    expect(issuer.granted).toEqual(['authorization_code', 'refresh_token']);
    expect(JSON.parse(grantText()).accessToken).not.toBe(before.accessToken);
    expect(JSON.parse(grantText()).refreshToken).not.toBe(before.refreshToken);
  });

  test('ten requests that were refused with the same token are one renewal, and so is one that comes late', async () => {
    await logIn();
    const old = await logins.header('notes', server.url);
    const refusal = {
      status: 401 as const,
      wwwAuthenticate: 'Bearer error="invalid_token"',
      url: server.url,
      sent: old,
    };
    aheadMs = 60_000;
    const answers = await Promise.all(Array.from({ length: 10 }, () => logins.challenged('notes', refusal)));
    expect(answers).toEqual(Array(10).fill('retry'));
    expect(await logins.challenged('notes', refusal)).toBe('retry');
    expect(issuer.granted).toEqual(['authorization_code', 'refresh_token']);
    expect(await ask('notes', server)).toBe(200);
  });

  test('a login whose refresh token was revoked has ended, and the next one opens the door again', async () => {
    await logIn();
    await issuer.revokeRefreshToken(JSON.parse(grantText()).refreshToken);
    aheadMs = HOUR_MS;
    expect(await ask('notes', server)).toEqual({ locked: 'its login has ended (invalid_grant)' });
    expect(grantText()).toBe('');
    await logIn();
    aheadMs = 0;
    expect(await ask('notes', server)).toBe(200);
  });

  test('a token that the server refuses at once is not renewed for ever', async () => {
    await logIn();
    server.resource = `${server.url}/other`;
    expect(await ask('notes', server)).toMatchObject({ locked: expect.stringContaining('just now') });
    expect(issuer.granted).toEqual(['authorization_code']);
  });

  test('while the authorization server is down requests fail with that reason, and the login is kept', async () => {
    await logIn();
    issuer.instead = (incoming) => {
      incoming.socket.destroy();
      return true;
    };
    const sent = await logins.header('notes', server.url);
    aheadMs = 60_000;
    const refusal = { status: 401 as const, wwwAuthenticate: null, url: server.url, sent };
    await expect(logins.challenged('notes', refusal)).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
    const asked = issuer.requests.length;
    await expect(logins.challenged('notes', refusal)).rejects.toMatchObject({ code: 'LOGIN_FAILED' });
    expect(issuer.requests).toHaveLength(asked);
    issuer.instead = null;
    aheadMs = 120_000;
    expect(await logins.challenged('notes', refusal)).toBe('retry');
  });

  test('two servers of one issuer share the registration, and no token', async () => {
    const second = await startProtectedServer(issuer, '/second');
    closing.push(second);
    await logIn('notes', server, 'ann');
    await logIn('tasks', second, 'ann');
    expect(await ask('notes', server)).toBe(200);
    expect(await ask('tasks', second)).toBe(200);
    const [one, two] = [JSON.parse(grantText('notes')), JSON.parse(grantText('tasks'))];
    expect(one.accessToken).not.toBe(two.accessToken);
    expect(second.seen).not.toContain(`Bearer ${one.accessToken}`);
    expect(server.seen).not.toContain(`Bearer ${two.accessToken}`);
    // Nor does a server get its own token once it has moved to the address of the other.
    expect(await logins.header('notes', second.url)).toBeNull();
  });

  test('a server that has moved to another issuer wants a new login, and the new issuer never sees the old tokens', async () => {
    await logIn();
    const old = JSON.parse(grantText());
    const other = await startAuthorizationServer();
    closing.push(other);
    const bodies: string[] = [];
    other.instead = (incoming) => {
      incoming.on('data', (part: Buffer) => bodies.push(part.toString('latin1')));
      return false;
    };
    server.issuer = other;
    aheadMs = 60_000;
    const locked = (await ask('notes', server)) as { locked: string };
    expect(locked.locked).toContain(`it takes logins of ${other.issuer} now`);
    expect(issuer.granted).toEqual(['authorization_code']);
    const { info } = await logIn();
    expect(info).toMatchObject({ issuer: other.issuer });
    expect(await ask('notes', server)).toBe(200);
    expect(bodies.join()).not.toContain(old.refreshToken);
    expect(bodies.join()).not.toContain(old.accessToken);
    expect(bodies.join()).not.toContain(old.client.clientId);
  });

  test('a call that needs more rights wants a wider login, which keeps the old ones', async () => {
    await logIn();
    expect(await ask('notes', server, 'write')).toEqual({ scope: 'mcp:write' });
    // Nobody else is kept out for it.
    expect(logins.refusal('notes', server.url)).toBeNull();
    expect(await ask('notes', server)).toBe(200);
    const { info } = await logIn();
    expect(info).toMatchObject({ scopes: ['mcp:read', 'mcp:write'] });
    expect(await ask('notes', server, 'write')).toBe(200);
    // What the issuer does not grant is asked for once, not each time.
    server.needs.set('rule', 'mcp:admin');
    expect(await ask('notes', server, 'rule')).toEqual({ scope: 'mcp:admin' });
    await logIn();
    await expect(ask('notes', server, 'rule')).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect(await ask('notes', server, 'write')).toBe(200);
  });

  test('a plain 403 locks nothing', async () => {
    await logIn();
    const sent = await logins.header('notes', server.url);
    const refusal = { status: 403 as const, wwwAuthenticate: null, url: server.url, sent };
    await expect(logins.challenged('notes', refusal)).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });

  test.each([
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.test')],
    ['no issuer', (url: URL) => url.searchParams.delete('iss')],
  ])('a browser that comes back with %s is refused, and its code is not used', async (_, forge) => {
    browser.rewrite = (url) => {
      if (url.pathname === '/oauth/callback') forge(url);
      return url;
    };
    const { info, page } = await logIn();
    expect(info).toMatchObject({ code: 'LOGIN_REFUSED' });
    expect(String(info)).toContain(issuer.issuer);
    expect(page).toMatchObject({ status: 400 });
    expect(issuer.granted).toEqual([]);
    expect(grantText()).toBe('');
  });

  test('an error of another issuer is not shown', async () => {
    browser.rewrite = (url) => {
      if (url.pathname === '/oauth/callback') {
        url.search = `?state=${url.searchParams.get('state')}&iss=https://evil.test&error=x&error_description=call+0900`;
      }
      return url;
    };
    const { info } = await logIn();
    expect(info).toMatchObject({ code: 'LOGIN_REFUSED' });
    expect(JSON.stringify((info as McpdError).report())).not.toContain('0900');
  });

  test('the metadata is found where it must be, when no refusal says where', async () => {
    server.namesMetadata = false;
    expect(await ask('notes', server)).toEqual({ locked: 'it wants a login' });
    expect((await logIn()).info).toMatchObject({ issuer: issuer.issuer });
    expect(await ask('notes', server)).toBe(200);
  });

  test('a server without any metadata, and one that asks for no login, are told apart', async () => {
    const plain = (status: number) => {
      const listener = createServer((_, outgoing) => outgoing.writeHead(status).end('<p>no</p>'));
      closing.push({ close: () => new Promise((resolve) => listener.close(() => resolve())) });
      return new Promise<string>((resolve) => {
        listener.listen(0, '127.0.0.1', () =>
          resolve(`http://127.0.0.1:${(listener.address() as AddressInfo).port}/mcp`),
        );
      });
    };
    const login = (url: string, choice: LoginChoice = {}) => logins.login('plain', url, choice, () => undefined, never);
    await expect(login(await plain(401))).rejects.toThrow('does not say how to log in');
    // A client that a person gave is not waited for in vain either.
    const client = { clientId: 'by-hand', clientSecret: null, method: null };
    await expect(login(await plain(401), { client })).rejects.toMatchObject({
      code: 'LOGIN_FAILED',
      parts: { what: expect.stringContaining('does not say how to log in'), fix: expect.stringContaining('--header') },
    });
    await expect(login(await plain(200))).rejects.toThrow('asks for no login');
  });

  test('a person who refuses is believed', async () => {
    const { info } = await logIn('notes', server, 'ann', false);
    expect(info).toMatchObject({ code: 'LOGIN_REFUSED', parts: { why: expect.stringContaining('access_denied') } });
  });

  test('a server whose metadata names another resource gets no login', async () => {
    server.metadata = { resource: 'https://bank.test/mcp', authorization_servers: [issuer.issuer] };
    expect((await logIn()).info).toMatchObject({ code: 'LOGIN_REFUSED' });
    expect(issuer.requests).toEqual([]);
    server.metadata = null;
    server.resource = new URL('/', server.url).origin;
    expect((await logIn()).info).toMatchObject({ resource: server.resource });
    expect(await ask('notes', server)).toBe(200);
  });

  test('an issuer that gives itself another name is refused', async () => {
    const { host } = new URL(issuer.issuer);
    server.metadata = { resource: server.url, authorization_servers: [`http://localhost:${host.split(':')[1]}`] };
    expect((await logIn()).info).toMatchObject({ code: 'LOGIN_REFUSED' });
  });

  test.each([
    [
      'answers with a page',
      'LOGIN_FAILED',
      (server: AuthorizationServer) => {
        server.instead = (_, outgoing) => {
          outgoing.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Welcome</h1>');
          return true;
        };
      },
    ],
    [
      'hangs up',
      'LOGIN_FAILED',
      (server: AuthorizationServer) => {
        server.instead = (incoming) => {
          incoming.socket.destroy();
          return true;
        };
      },
    ],
    [
      'answers without end',
      'LOGIN_FAILED',
      (server: AuthorizationServer) => {
        server.instead = (_, outgoing) => {
          outgoing.writeHead(200, { 'content-type': 'application/json' });
          const more = () => {
            while (!outgoing.destroyed && outgoing.write(' '.repeat(65_536)));
          };
          outgoing.on('drain', more);
          more();
          return true;
        };
      },
    ],
    [
      'sends the registration elsewhere',
      'LOGIN_FAILED',
      (server: AuthorizationServer) => {
        server.instead = (incoming, outgoing) => {
          if (incoming.method !== 'POST') return false;
          outgoing.writeHead(307, { location: 'https://evil.test/reg' }).end();
          return true;
        };
      },
    ],
  ])('an authorization server that %s is one clear error', async (_, code, break_) => {
    break_(issuer);
    const { info } = await logIn();
    expect(info).toMatchObject({ code });
    expect(String(info)).toContain('127.0.0.1');
  });

  test('an authorization server that does not answer is given up', async () => {
    issuer.instead = () => true;
    const { info } = await logIn();
    expect(info).toMatchObject({
      code: 'LOGIN_FAILED',
      parts: { what: expect.stringContaining('did not answer within') },
    });
  });

  test('where programs cannot register, the error says with which address a person can', async () => {
    const closed = await startAuthorizationServer({ registration: false });
    closing.push(closed);
    server.issuer = closed;
    const { info } = await logIn();
    expect(info).toMatchObject({ code: 'LOGIN_FAILED' });
    expect((info as McpdError).parts.fix).toMatch(/http:\/\/127\.0\.0\.1:\d+\/oauth\/callback.*--client-id/);
  });

  test('a client that a person registered is used, with its secret, and kept for its issuer', async () => {
    const clients = [
      {
        client_id: 'mcpd-by-hand',
        client_secret: 'a secret of at least 32 characters',
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/oauth/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ];
    const closed = await startAuthorizationServer({ registration: false, clients });
    closing.push(closed);
    server.issuer = closed;
    const given = { clientId: 'mcpd-by-hand', clientSecret: 'a secret of at least 32 characters', method: null };
    await logins.login('notes', server.url, { client: given }, ({ url }) => void browser.logIn(url), never);
    expect(await ask('notes', server)).toBe(200);
    aheadMs = HOUR_MS;
    expect(await ask('notes', server)).toBe(200);
    expect(closed.granted).toEqual(['authorization_code', 'refresh_token']);
    await logins.forget('notes');
    expect((await logIn()).info).toMatchObject({ issuer: closed.issuer });
    // Nor is it forgotten because the authorization server denies it.
    closed.instead = (incoming, outgoing) => {
      if (incoming.url !== '/token') return false;
      outgoing.writeHead(401, { 'content-type': 'application/json' }).end('{"error":"invalid_client"}');
      return true;
    };
    expect((await logIn()).info).toMatchObject({
      code: 'LOGIN_FAILED',
      parts: { fix: expect.stringContaining('--client-id') },
    });
    closed.instead = null;
    expect((await logIn()).info).toMatchObject({ issuer: closed.issuer });
  });

  test('a metadata document is the client where the issuer takes such, and a registration where not', async () => {
    const address = 'https://mcpd.test/client.json';
    logins = await opened(address);
    const links: string[] = [];
    const begin = () => {
      const abort = new AbortController();
      const report = ({ url }: LoginLink) => {
        links.push(url);
        abort.abort(new McpdError('LOGIN_CANCELLED', { what: 'enough' }));
      };
      return logins.login('notes', server.url, {}, report, abort.signal).catch((error: unknown) => error);
    };
    await begin();
    const modern = await startAuthorizationServer({ discovery: { client_id_metadata_document_supported: true } });
    closing.push(modern);
    server.issuer = modern;
    await begin();
    const ids = links.map((link) => new URL(link).searchParams.get('client_id'));
    expect(ids[0]).not.toBe(address);
    expect(ids[1]).toBe(address);
    expect(modern.requests).not.toContain('POST /reg');
    const given = { clientId: address, clientSecret: null, method: 'none' };
    server.issuer = issuer;
    await expect(logins.login('notes', server.url, { client: given }, () => undefined, never)).rejects.toThrow(
      'metadata document',
    );
  });

  test('a second login joins the first; the last who leaves ends it', async () => {
    const [first, second] = [new AbortController(), new AbortController()];
    const told: LoginLink[] = [];
    const watch = (abort: AbortController) =>
      logins.login('notes', server.url, {}, (link) => told.push(link), abort.signal).catch((error: unknown) => error);
    const outcomes = [watch(first), watch(second)];
    await expect.poll(() => told.length).toBe(2);
    const link = told[0]?.url ?? '';
    expect(told).toEqual([
      { url: link, expiresInMs: expect.any(Number), joined: false },
      { url: link, expiresInMs: expect.any(Number), joined: true },
    ]);
    expect(logins.link('notes')).toBe(link);
    first.abort(new McpdError('LOGIN_CANCELLED', { what: 'left' }));
    expect(await outcomes[0]).toMatchObject({ code: 'LOGIN_CANCELLED' });
    expect(logins.link('notes')).toBe(link);
    second.abort(new McpdError('LOGIN_CANCELLED', { what: 'left too' }));
    expect(await outcomes[1]).toMatchObject({ code: 'LOGIN_CANCELLED' });
    await expect.poll(() => logins.link('notes')).toBeNull();
    // Its address is closed as well, or says that this login has ended.
    await expect(browser.logIn(link)).rejects.toThrow('fetch failed');
  });

  test('a login that begins while another is called off is a new one', async () => {
    const first = new AbortController();
    const links: string[] = [];
    const ended = logins
      .login('notes', server.url, {}, ({ url }) => links.push(url), first.signal)
      .catch(() => 'ended');
    await expect.poll(() => links.length).toBe(1);
    first.abort(new McpdError('LOGIN_CANCELLED', { what: 'left' }));
    const called = new McpdError('LOGIN_CANCELLED', { what: 'called off' });
    const forgotten = logins.forget('notes');
    const second = new AbortController();
    const other = logins.login('notes', server.url, {}, ({ url }) => links.push(url), second.signal).catch((e) => e);
    await expect.poll(() => links.length).toBe(2);
    expect(links[1]).not.toBe(links[0]);
    second.abort(called);
    expect([await ended, await forgotten, await other]).toEqual(['ended', false, called]);
  });

  test('what is forgotten is gone, with a registration that nobody else uses', async () => {
    await logIn();
    const { accessToken, refreshToken, client } = JSON.parse(grantText());
    expect(await logins.forget('notes')).toBe(true);
    expect(await logins.forget('notes')).toBe(false);
    expect(await ask('notes', server)).toEqual({ locked: 'it wants a login' });
    const file = keptText(folder);
    for (const value of [accessToken, refreshToken, client.clientId]) expect(file).not.toContain(value);
  });

  test('a server of the first revision, without metadata, is logged in at with the client that a person gave', async () => {
    const old = createServer((incoming, outgoing) => {
      const isToken = incoming.url === '/token';
      outgoing.writeHead(isToken ? 400 : incoming.url === '/mcp' ? 401 : 404, { 'content-type': 'application/json' });
      outgoing.end(isToken ? '{"error":"invalid_request"}' : '{}');
    });
    closing.push({ close: () => new Promise((resolve) => old.close(() => resolve())) });
    await new Promise<void>((resolve) => old.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(old.address() as AddressInfo).port}`;
    const client = { clientId: 'by-hand', clientSecret: null, method: null };
    const abort = new AbortController();
    const called = new McpdError('LOGIN_CANCELLED', { what: 'enough' });
    const links: string[] = [];
    const report = ({ url }: LoginLink) => {
      links.push(url);
      abort.abort(called);
    };
    await expect(logins.login('old', `${origin}/mcp`, { client }, report, abort.signal)).rejects.toBe(called);
    expect(links).toEqual([expect.stringMatching(new RegExp(`^${origin}/authorize\\?.*client_id=by-hand`))]);
  });

  test('rights that a person names are asked for besides those of the last login', async () => {
    await logIn();
    const links: string[] = [];
    await logins.login(
      'notes',
      server.url,
      { scope: 'mcp:write' },
      ({ url }) => {
        links.push(url);
        void browser.logIn(url);
      },
      never,
    );
    const asked = new URL(links[0] ?? '').searchParams.get('scope')?.split(' ');
    expect(asked).toEqual(expect.arrayContaining(['mcp:read', 'mcp:write']));
    expect(await ask('notes', server, 'write')).toBe(200);
    // Another login that waits already may be for other rights.
    const abort = new AbortController();
    const first = logins.login('notes', server.url, {}, () => undefined, abort.signal).catch((error: unknown) => error);
    await expect.poll(() => logins.link('notes')).not.toBeNull();
    await expect(
      logins.login('notes', server.url, { scope: 'mcp:write' }, () => undefined, never),
    ).rejects.toMatchObject({ code: 'LOGIN_CANCELLED', message: expect.stringContaining('waits already') });
    abort.abort(new McpdError('LOGIN_CANCELLED', { what: 'left' }));
    await first;
  });

  test('the tokens of a login that is withdrawn are revoked at their issuer', async () => {
    await logIn();
    const { accessToken, refreshToken } = JSON.parse(grantText());
    const gone = await logins.withdraw('notes', server.url);
    expect(grantText()).toBe('');
    expect([gone?.issuer, await gone?.revoke()]).toEqual([issuer.issuer, { state: 'revoked' }]);
    expect(await issuer.lookUp(accessToken)).toBeNull();
    expect(await issuer.knowsRefreshToken(refreshToken)).toBe(false);
    expect(await logins.withdraw('notes', server.url)).toBeNull();
  });

  test('a client with a secret revokes with it', async () => {
    const clientSecret = 'a secret: of at least 32 characters';
    const clients = [
      {
        client_id: 'mcpd-by-hand',
        client_secret: clientSecret,
        application_type: 'native',
        redirect_uris: ['http://127.0.0.1/oauth/callback'],
        grant_types: ['authorization_code', 'refresh_token'],
      },
    ];
    const closed = await startAuthorizationServer({ registration: false, clients });
    closing.push(closed);
    server.issuer = closed;
    const client = { clientId: 'mcpd-by-hand', clientSecret, method: null };
    await logins.login('notes', server.url, { client }, ({ url }) => void browser.logIn(url), never);
    const { accessToken } = JSON.parse(grantText());
    expect(await (await logins.withdraw('notes', server.url))?.revoke()).toEqual({ state: 'revoked' });
    expect(await closed.lookUp(accessToken)).toBeNull();
  });

  test.each([
    ['offers no revocation', { revocation: false }, false, { state: 'not-offered' }],
    ['refuses it', {}, true, { state: 'failed', error: { code: 'LOGIN_FAILED', why: 'server_error: no' } }],
  ])('a login is withdrawn as well when its issuer %s', async (_, options, refuses, outcome) => {
    const other = await startAuthorizationServer(options);
    closing.push(other);
    server.issuer = other;
    await logIn();
    other.instead = (_incoming, outgoing) => {
      if (refuses) outgoing.writeHead(503, { 'content-type': 'application/json' }).end('{"error":"server_error: no"}');
      return refuses;
    };
    const gone = await logins.withdraw('notes', server.url);
    expect(await gone?.revoke()).toMatchObject(outcome);
    expect(grantText()).toBe('');
  });

  test('an issuer that does not answer keeps nobody waiting for a revocation', async () => {
    await logIn();
    issuer.instead = () => true;
    const gone = await logins.withdraw('notes', server.url);
    expect(await gone?.revoke()).toMatchObject({
      state: 'failed',
      error: { what: `revoking its tokens took more than ${LOGIN_REVOKE_MS / 1000} s` },
    });
  });

  test('a login that is taken away while it is renewed stays away', async () => {
    await logIn();
    aheadMs = HOUR_MS;
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    issuer.instead = async () => {
      await held;
      return false;
    };
    const asking = logins.header('notes', server.url);
    await expect.poll(() => issuer.requests.at(-1)).toBe('POST /token');
    await logins.forget('notes');
    release();
    expect(await asking).toBeNull();
    expect(issuer.granted.at(-1)).toBe('refresh_token');
    expect(grantText()).toBe('');
  });
});
