import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { auth } from '../harness/auth-command.ts';
import { type AuthorizationServer, startAuthorizationServer } from '../harness/authorization-server.ts';
import { Browser } from '../harness/browser.ts';
import { type Machine, test } from '../harness/machine.ts';
import { type ProtectedServer, startProtectedServer } from '../harness/protected-server.ts';
import { keptText } from '../harness/secrets.ts';
import { until } from '../harness/until.ts';

let issuer: AuthorizationServer;
let server: ProtectedServer;
beforeEach(async () => {
  issuer = await startAuthorizationServer();
  server = await startProtectedServer(issuer);
});
afterEach(async () => {
  await Promise.all([issuer.close(), server.close()]);
});

/** Everything that mcpd has written, by file. */
function written(folder: string): [file: string, text: string][] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => statSync(file).isFile())
    .map((file) => [file, readFileSync(file, 'latin1')]);
}

describe('mcpd auth', () => {
  async function declared(machine: Machine): Promise<void> {
    await machine.startDaemon();
    const file = join(machine.home.root, 'declared.json');
    writeFileSync(file, JSON.stringify({ mcpServers: { notes: { url: server.url } } }));
    await machine.ok('apply', '-f', file);
    await until(
      'the server to want a login',
      async () => (await machine.server('notes')).wantedReason === 'needs-auth',
    );
  }

  test('prints a link, and after the login hosts have the tools and calls go through', async ({ machine }) => {
    await declared(machine);
    const host = await machine.connected();
    expect(await machine.server('notes')).toMatchObject({ wantedReason: 'needs-auth', fix: 'mcpd auth notes' });

    const login = auth(machine, 'notes');
    const link = await login.link();
    expect(new URL(link).searchParams.get('redirect_uri')).toBe(`http://127.0.0.1:${machine.home.port}/oauth/callback`);
    const waiting = await machine.ok('info', 'notes', '--json');
    expect(waiting).toMatchObject({ loginLink: link, login: null });
    expect(waiting.reason).toContain(link);
    const page = await new Browser().logIn(link);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('You are logged in')]);
    expect(await login.ended).toBe(0);
    expect(login.said.stdout).toContain(`notes is logged in at ${issuer.issuer} (mcp:read)`);
    expect(login.said.stdout).toContain('2 tools');

    expect(JSON.stringify(await host.call('notes__whoami', {}))).toContain('whoami by ann');
    const info = await machine.ok('info', 'notes', '--json');
    expect(info).toMatchObject({
      loginLink: null,
      login: { issuer: issuer.issuer, resource: server.url, renews: true },
    });

    // The token is in the encrypted file, and nowhere else.
    const secrets = join(machine.home.mcpdHome, 'secrets.enc');
    expect(statSync(secrets).mode & 0o777).toBe(0o600);
    const token = server.seen.at(-1)?.replace('Bearer ', '') ?? '';
    expect(readFileSync(secrets, 'utf8')).not.toContain(token);
    expect(keptText(machine.home.mcpdHome)).toContain(token);
    expect(JSON.stringify(info)).not.toContain(token);
    for (const [file, text] of written(machine.home.mcpdHome)) expect(text.includes(token), file).toBe(false);

    // What a host shows at mcpd's own door goes no further.
    const place = await machine.httpPlace('/mcp');
    const answer = await fetch(place.url, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${place.token}`,
        accept: 'application/json',
        'content-type': 'application/json',
      },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"notes__whoami","arguments":{}}}',
    });
    expect(await answer.text()).toContain('whoami by ann');
    expect(server.seen.filter((sent) => sent !== '')).toEqual(server.seen.filter((sent) => sent.endsWith(token)));
  });

  test('a call that needs more rights is refused with the command that asks for them', async ({ machine }) => {
    await declared(machine);
    const host = await machine.connected();
    const first = auth(machine, 'notes');
    await new Browser().logIn(await first.link());
    expect(await first.ended).toBe(0);
    const refused = await host.call('notes__write', {});
    const fix = 'mcpd auth notes --scope mcp:write';
    expect(refused.error).toMatchObject({ data: { reason: 'insufficient_scope', fix } });
    expect(refused.error?.message).toContain(fix);
    // Other calls go on, and nobody is told to log in for them.
    expect(JSON.stringify(await host.call('notes__whoami', {}))).toContain('whoami by ann');
    expect(await machine.server('notes')).toMatchObject({ state: 'running', wantedReason: null, fix: null });
    // To read its lists anew forgets nothing of that.
    await machine.ok('tools', 'notes', '--refresh');
    const same = auth(machine, 'notes');
    expect(new URL(await same.link()).searchParams.get('scope')).toContain('mcp:write');
    same.child.kill('SIGINT');
    await same.ended;
    const wider = auth(machine, 'notes', '--scope', 'mcp:write', '--json');
    const link = await wider.link();
    expect(new URL(link).searchParams.get('scope')?.split(' ')).toEqual(
      expect.arrayContaining(['mcp:read', 'mcp:write']),
    );
    await new Browser().logIn(link);
    expect(await wider.ended).toBe(0);
    const lines = wider.said.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toEqual([
      { type: 'link', url: link, expiresInMs: 600_000, joined: false },
      {
        type: 'done',
        login: expect.objectContaining({ scopes: ['mcp:read', 'mcp:write'] }),
        server: expect.anything(),
      },
    ]);
    expect(JSON.stringify(await host.call('notes__write', {}))).toContain('write by ann');
  });

  test('a server that lets nobody in yet is installed all the same, and says what to do', async ({ machine }) => {
    await machine.startDaemon();
    const installed = await machine.ok('install', server.url, '--name', 'notes', '--json');
    expect(installed.server).toMatchObject({ wantedReason: 'needs-auth', fix: 'mcpd auth notes', listed: false });
    expect(installed.warnings.join()).toContain('mcpd auth notes');
    const login = auth(machine, 'notes');
    await new Browser().logIn(await login.link());
    expect(await login.ended).toBe(0);
    expect(await machine.server('notes')).toMatchObject({
      listed: true,
      wantedReason: expect.not.stringContaining('auth'),
    });

    // The same name for another server: neither its login nor what the first one wanted counts there.
    await machine.ok('uninstall', 'notes');
    expect(keptText(machine.home.mcpdHome)).not.toMatch(/oauth:/);
    await machine.add('notes', 'echo');
    expect(await machine.server('notes')).toMatchObject({ wantedReason: expect.not.stringContaining('auth') });
  });

  test('Ctrl-C calls it off, and its link is of no use any more', async ({ machine }) => {
    await declared(machine);
    const login = auth(machine, 'notes');
    const link = await login.link();
    login.child.kill('SIGINT');
    expect(await login.ended).toBe(130);
    expect(login.said.stderr).toContain('nobody was logged in');
    const state = new URL(link).searchParams.get('state');
    await until(
      'the login to have ended',
      async () => (await machine.ok('info', 'notes', '--json')).loginLink === null,
    );
    const late = await new Browser().visit(
      `http://127.0.0.1:${machine.home.port}/oauth/callback?code=x&state=${state}`,
    );
    expect([late.status, late.text]).toEqual([410, expect.stringContaining('has ended')]);
    expect((await machine.server('notes')).reason).not.toContain('http');
  });

  test('a login is forgotten, and goes with its server', async ({ machine }) => {
    await declared(machine);
    const login = auth(machine, 'notes');
    await new Browser().logIn(await login.link());
    expect(await login.ended).toBe(0);
    const token = server.seen.at(-1)?.replace('Bearer ', '') ?? '';
    expect(await issuer.lookUp(token)).not.toBeNull();
    expect(await machine.ok('auth', 'notes', '--forget', '--json')).toEqual({
      server: 'notes',
      forgotten: true,
      issuer: issuer.issuer,
      revocation: { state: 'revoked' },
    });
    expect(await issuer.lookUp(token)).toBeNull();
    expect(await machine.server('notes')).toMatchObject({
      wantedReason: 'needs-auth',
      reason: 'its login was removed',
    });
    const again = auth(machine, 'notes');
    await new Browser().logIn(await again.link());
    expect(await again.ended).toBe(0);
    writeFileSync(join(machine.home.root, 'declared.json'), JSON.stringify({ mcpServers: {} }));
    await machine.ok('apply', '-f', join(machine.home.root, 'declared.json'));
    expect(keptText(machine.home.mcpdHome)).not.toContain('refreshToken');
  });

  test('a header that a person gave and the server refuses is told as that, with how to give another one', async ({
    machine,
  }) => {
    await machine.startDaemon();
    let accepted = 'right';
    const far: ProtectedServer = await startProtectedServer({
      ...issuer,
      lookUp: async (given) => (given === accepted ? { account: 'key', audience: far.resource, scopes: [] } : null),
    });
    await machine.ok('add', 'far', '--url', far.url, '--header', 'Authorization: Bearer right', '--json');
    const host = await machine.connected();
    expect(JSON.stringify(await host.call('far__whoami', {}))).toContain('whoami by key');

    accepted = 'another';
    const fix = 'mcpd secret set far Authorization';
    const refused = await host.call('far__whoami', {});
    expect(refused.error).toMatchObject({ data: { reason: 'header_refused', fix } });
    await until('the server to say so', async () => (await machine.server('far')).fix === fix);
    const said = (await machine.cli('call', 'far__whoami')).stderr;
    expect(said).toContain(fix);
    expect(said).not.toContain('mcpd auth');
    const login = await machine.cli('auth', 'far');
    expect([login.code, login.stderr]).toEqual([2, expect.stringContaining('Authorization header')]);

    await machine.cliWith({ input: 'another' }, 'secret', 'set', 'far', 'Authorization');
    expect(await machine.server('far')).toMatchObject({ wantedReason: expect.not.stringContaining('auth') });
    expect(JSON.stringify(await host.call('far__whoami', {}))).toContain('whoami by key');
    await far.close();
  });

  test('is not for servers of this machine, nor for names that nobody has', async ({ machine }) => {
    await machine.add('echo', 'echo');
    const local = await machine.cli('auth', 'echo', '--json');
    expect([local.code, local.json.error.code]).toEqual([2, 'REQUEST_INVALID']);
    const unknown = await machine.cli('auth', 'ecko', '--forget', '--json');
    expect([unknown.code, unknown.json.error]).toEqual([3, expect.objectContaining({ code: 'SERVER_UNKNOWN' })]);
  });
});
