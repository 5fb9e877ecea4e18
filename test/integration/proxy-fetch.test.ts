import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { proxiesOf } from '../../src/proxy.ts';
import { fetchThrough } from '../../src/proxy-fetch.ts';

/** `fetch` by plain http through a proxy, which sends requests on. */

const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** A proxy that answers by itself, and the ports from which it was asked. */
async function proxyThatAnswers(status: number) {
  const askedFrom: (number | undefined)[] = [];
  const server = createServer((request, response) => {
    askedFrom.push(request.socket.remotePort);
    response.writeHead(status).end(request.url);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { fetch: fetchThrough(proxiesOf({ http_proxy: `http://127.0.0.1:${port}` })), askedFrom };
}

test('each request has a connection of its own, since a proxy may be closing the one before', async () => {
  const { fetch, askedFrom } = await proxyThatAnswers(200);
  for (const path of ['one', 'two'])
    expect(await (await fetch(`http://far.example/${path}`)).text()).toBe(`http://far.example/${path}`);
  expect(new Set(askedFrom).size).toBe(2);
});

test('a proxy that wants a password is told from the server behind it', async () => {
  const { fetch } = await proxyThatAnswers(407);
  await expect(fetch('http://far.example/')).rejects.toMatchObject({ code: 'PROXY_FAILED' });
});
