import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject } from 'vitest';
import { PAGE_FILES } from '../../src/api/guard.ts';
import { launch } from '../harness/chromium.ts';
import type { Machine } from '../harness/machine.ts';
import { type Dashboard, test } from './dashboard.ts';

/**
 * Pages of other sites in a real browser, which have stolen the token: on another port of the loopback, and behind a name that points at it
 * (DNS rebinding). None gets an answer that it can read, and nothing that it sends has an effect.
 */

/** What a page may read, what changes something, and what is not there. */
const ROUTES = [
  ...PAGE_FILES.keys(),
  '/healthz',
  '/metrics',
  ...['status', 'servers', 'servers/echo', 'sessions', 'tools', 'calls', 'live', 'processes', 'health', 'tokens'].map(
    (name) => `/api/${name}`,
  ),
  '/nowhere',
];
const CHANGES = [
  ['POST', '/api/servers/echo/stop', ''],
  ['PATCH', '/api/servers/echo', '{"enabled":false}'],
  ['DELETE', '/api/servers/echo', ''],
  ['POST', '/api/servers', '{"name":"pwn","command":"true","args":[],"cwd":"/","env":{},"trial":false}'],
  ['POST', '/api/installs', '{"spec":"todo"}'],
  ['POST', '/api/declared', '{"path":"/x","text":"{\\"mcpServers\\":{}}"}'],
  ['POST', '/api/shutdown', '{"now":true}'],
] as const;

let site: Server;
let siteOrigin = '';
beforeAll(async () => {
  site = createServer((_, answer) =>
    answer.writeHead(200, { 'content-type': 'text/html' }).end('<h1>another site</h1>'),
  );
  await new Promise<void>((done) => site.listen(0, '127.0.0.1', done));
  siteOrigin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterAll(() => {
  site.closeAllConnections();
  site.close();
});

test('a page on another port of the loopback reads nothing and changes nothing, also with the token', async ({
  machine,
  dashboard,
  browser,
}) => {
  const token = await stolenToken(machine, dashboard);
  const context = await browser.newContext();
  const page = await context.newPage();
  await page.goto(siteOrigin);
  const before = await stateOf(machine);

  for (const path of ROUTES) {
    const to = `${dashboard.origin}${path}`;
    expect(await fetched(page, to, 'GET', '', token), `GET ${path}`).toEqual(REFUSED);
    expect(await embedded(page, to), `${path} in the page`).toEqual(NOT_EMBEDDED);
  }
  expect(await socketOutcome(page, `${dashboard.origin.replace('http:', 'ws:')}/ws`, token)).toBe('nothing');
  for (const [method, path, body] of CHANGES) {
    expect(await fetched(page, `${dashboard.origin}${path}`, method, body, token), `${method} ${path}`).toEqual(
      REFUSED,
    );
    expect(await formSent(page, `${dashboard.origin}${path}`, body), `a form to ${path}`).toBe(403);
  }
  // Pages of this machine may be hosts, with a token that `mcpd token add` made; this one is not.
  expect(await fetched(page, `${dashboard.origin}/mcp`, 'POST', '{}', token)).toMatchObject({ api: 'read 401' });
  expect(await shown(page, `${dashboard.origin}/`)).toEqual({
    frame: 'unreadable',
    cutOff: true,
    frames: 0,
    opener: 'null',
  });
  expect(await stateOf(machine)).toEqual(before);
  await context.close();
});

test('a name that an attacker points at the loopback opens no page, no route and no socket', async ({
  machine,
  dashboard,
}) => {
  const token = await stolenToken(machine, dashboard);
  const before = await stateOf(machine);
  const rules =
    'MAP evil.example 127.0.0.1, MAP localhost.evil.example 127.0.0.1, MAP 127.0.0.1.evil.example 127.0.0.1';
  // Browsers begin to ask a person before a page may reach the loopback; not all do, and people agree.
  const agreed = '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests';
  const rebound = await launch(inject('chromium'), [`--host-resolver-rules=${rules}`, agreed]);
  for (const name of ['evil.example', '127.0.0.1.evil.example', 'localhost.evil.example']) {
    const origin = `http://${name}:${machine.home.port}`;
    const page = await rebound.newPage();
    // It is of the origin that it asks, as a page is whose name has been pointed elsewhere after it was loaded.
    await page.route(`${origin}/attack`, (route) =>
      route.fulfill({ contentType: 'text/html', body: '<h1>attack</h1>' }),
    );
    for (const path of PAGE_FILES.keys()) {
      const answer = await page.goto(`${origin}${path}`);
      expect([answer?.status(), await answer?.text()], path).toEqual([403, expect.stringContaining('FORBIDDEN')]);
    }
    await page.goto(`${origin}/attack`);
    for (const path of [...ROUTES, '/mcp']) {
      expect(await statusSeen(page, path, 'GET', '', token), `GET ${path}`).toBe(403);
    }
    expect(await socketOutcome(page, `ws://${name}:${machine.home.port}/ws`, token)).toBe('nothing');
    for (const [method, path, body] of CHANGES)
      expect(await statusSeen(page, path, method, body, token), `${method} ${path}`).toBe(403);
    await page.close();
  }
  await rebound.close();
  expect(await stateOf(machine)).toEqual(before);
});

// — internal —

/** Without a CORS header of ours, a page sees neither answer nor status; what is sent without asking first is opaque. */
const REFUSED = { api: 'error', bearer: 'error', bare: 'error', simple: expect.stringMatching(/^(?:error|opaque)$/) };

const NOT_EMBEDDED = { img: 'error', script: 'error', style: 'error' };

async function stolenToken(machine: Machine, dashboard: Dashboard): Promise<string> {
  await machine.add('echo', 'echo', [], ['--start', 'always']);
  const owner = await dashboard.open();
  return owner.evaluate(() => Object.values({ ...sessionStorage }).find((value) => /^[\w-]{40,}$/.test(value)) ?? '');
}

async function stateOf(machine: Machine) {
  const servers = await machine.servers();
  return {
    daemon: await machine.daemonPid(),
    servers: servers.map(({ name, enabled, wanted, state, starts }) => ({ name, enabled, wanted, state, starts })),
  };
}

interface Sent {
  to: string;
  method: string;
  body: string;
  token: string;
}

/** The ways in which a script asks: as an API is asked, and as pages may ask anybody without asking first. */
function fetched(page: Page, to: string, method: string, body: string, token: string) {
  return page.evaluate(
    async (sent: Sent) => {
      const outcome = (init: RequestInit) =>
        fetch(sent.to, init).then(
          (answer) => (answer.type === 'opaque' ? 'opaque' : `read ${answer.status}`),
          () => 'error',
        );
      const bearer = { authorization: `Bearer ${sent.token}` };
      const content = sent.method === 'GET' || sent.method === 'DELETE' ? {} : { body: sent.body };
      const plain = sent.method === 'GET' ? {} : { method: 'POST', body: sent.body };
      return {
        api: await outcome({
          method: sent.method,
          ...content,
          headers: { ...bearer, 'content-type': 'application/json' },
        }),
        bearer: await outcome({ method: sent.method, ...content, headers: bearer }),
        bare: await outcome({ method: sent.method, ...content }),
        simple: await outcome({ mode: 'no-cors', credentials: 'include', ...plain }),
      };
    },
    { to, method, body, token },
  );
}

/** As an image, a script and a style sheet of that page. */
function embedded(page: Page, to: string) {
  return page.evaluate(async (address: string) => {
    const loaded = (name: 'img' | 'script' | 'link', attribute: 'src' | 'href') =>
      new Promise<string>((done) => {
        const element = document.createElement(name);
        element.onload = () => done('loaded');
        element.onerror = () => done('error');
        if (name === 'link') element.setAttribute('rel', 'stylesheet');
        element.setAttribute(attribute, address);
        document.head.append(element);
      });
    return {
      img: await loaded('img', 'src'),
      script: await loaded('script', 'src'),
      style: await loaded('link', 'href'),
    };
  }, to);
}

/** What a socket brings, when its first message is the token, until it closes. */
function socketOutcome(page: Page, to: string, token: string): Promise<string> {
  return page.evaluate(
    (ask) =>
      new Promise<string>((done) => {
        const socket = new WebSocket(ask.to);
        socket.onopen = () => socket.send(ask.token);
        socket.onmessage = () => done('a message');
        socket.onclose = () => done('nothing');
      }),
    { to, token },
  );
}

/** A form needs no permission to be sent anywhere. Resolves with the status of the answer, which the page itself does not see. */
async function formSent(page: Page, to: string, body: string): Promise<number> {
  const answered = page.waitForResponse(to);
  await page.evaluate(
    (form) => {
      const frame = document.createElement('iframe');
      frame.name = `frame${document.querySelectorAll('iframe').length}`;
      const element = document.createElement('form');
      element.method = 'post';
      element.enctype = 'text/plain';
      element.target = frame.name;
      element.action = form.to;
      const field = document.createElement('input');
      field.name = form.body;
      element.append(field);
      document.body.append(frame, element);
      element.submit();
    },
    { to, body },
  );
  return (await answered).status();
}

/** In a frame, and in a window that the page has opened: what it sees of either. */
async function shown(page: Page, to: string) {
  const opened = page.context().waitForEvent('page');
  const seen = await page.evaluate(async (address: string) => {
    const frame = document.createElement('iframe');
    const loaded = new Promise((done) => (frame.onload = done));
    frame.src = address;
    document.body.append(frame);
    await loaded;
    const look = (view: Window | null) => {
      try {
        return view?.document.body.textContent ?? 'no window';
      } catch {
        return 'unreadable';
      }
    };
    const popup = window.open(address);
    // It is cut off when the answer to it has come, and its own policy with it.
    for (let look = 0; look < 1000 && popup !== null && !popup.closed; look++)
      await new Promise((done) => setTimeout(done, 20));
    return { frame: look(frame.contentWindow), cutOff: popup === null || popup.closed };
  }, to);
  const popup = await opened;
  await popup.waitForLoadState();
  const frames = page.frames().filter((frame) => frame.url() === to).length;
  return { ...seen, frames, opener: await popup.evaluate(() => String(globalThis.opener)) };
}

/** What the page itself sees of a request within its own origin. */
function statusSeen(page: Page, path: string, method: string, body: string, token: string): Promise<number | string> {
  return page.evaluate(
    (sent: Sent) =>
      fetch(sent.to, {
        method: sent.method,
        headers: { authorization: `Bearer ${sent.token}`, 'content-type': 'application/json' },
        ...(sent.method === 'GET' || sent.body === '' ? {} : { body: sent.body }),
      }).then(
        (answer) => answer.status,
        (error) => String(error),
      ),
    { to: path, method, body, token },
  );
}
