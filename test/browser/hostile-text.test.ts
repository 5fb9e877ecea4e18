import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { test } from './dashboard.ts';
import { routesOf } from './routes.ts';

/** What servers say of themselves and print is text on every page: nothing of it runs, loads or can be clicked. */

test('text of a server runs nowhere, loads nothing, and is no link', async ({ machine, dashboard }) => {
  await machine.add('markup', 'markup');
  await machine.add('hostile', 'hostile-text');
  const host = await machine.connected();
  await host.call('tools/call', { name: 'markup__show', arguments: {} });
  const page = await dashboard.open();
  await page.getByText('markup', { exact: true }).first().waitFor();
  for (const route of routesOf('markup')) {
    await dashboard.show(page, route);
    if (route in SHOWN)
      await page
        .getByText(SHOWN[route] ?? '')
        .first()
        .waitFor();
    expect(await harm(page), route).toEqual({ pwned: false, scripts: ['/main.js'], links: [], inline: 0, images: [] });
  }
});

test('an address that is not one of the page shows the page, and runs nothing of the address', async ({
  machine,
  dashboard,
}) => {
  await machine.startDaemon();
  const page = await dashboard.open(null, {}, /status of 40[04]/);
  const markup = encodeURIComponent('<img src=x onerror="globalThis.pwned=1">');
  for (const route of [
    `#/servers/${markup}/tools`,
    `#${markup}`,
    '#/__proto__',
    '#/calls/../../x',
    '#/servers/%E0%A4%A',
  ]) {
    await dashboard.show(page, route);
    expect(await harm(page), route).toMatchObject({ pwned: false, links: [], inline: 0, images: [] });
  }
});

// — internal —

/** Where the text is seen as it was written. */
const SHOWN: Record<string, string> = {
  '#/servers/markup/tools': 'describes <script>globalThis.pwned=1</script>',
  '#/servers/markup/prompts': 'asks <script>globalThis.pwned=1</script>',
  '#/servers/markup/logs': 'printed <script>globalThis.pwned=1</script>',
};

function harm(page: Page) {
  return page.evaluate(() => {
    const all = [...document.querySelectorAll('*')];
    const own = (address: string | null) => address === null || /^(?:#|\/(?!\/))/.test(address);
    const addresses = (names: string[]) =>
      all.flatMap((element) => names.map((name) => element.getAttribute(name)).filter((address) => !own(address)));
    return {
      pwned: 'pwned' in globalThis,
      scripts: [...document.scripts].map((script) => script.getAttribute('src')),
      links: addresses(['href', 'action', 'formaction']),
      inline: all.filter((element) => [...element.attributes].some(({ name }) => name.startsWith('on'))).length,
      images: addresses(['src', 'srcset', 'poster', 'data']),
    };
  });
}
