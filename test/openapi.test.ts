import { beforeAll, expect, test } from 'vitest';
import { createApp } from '../src/api/app.ts';
import { DashboardCodes } from '../src/api/codes.ts';
import { OpenerFiles } from '../src/api/opener-files.ts';
import { PlainControl } from './harness/plain-control.ts';
import { documentedRoutes, type OpenApi, openApi } from './openapi/document.ts';

let document: OpenApi;
beforeAll(async () => {
  document = await openApi();
  // The compiler reads its libraries first.
}, 60_000);

test('docs/openapi.json is what the contract makes of it: npm run openapi writes it', async () => {
  await expect(`${JSON.stringify(document, null, 2)}\n`).toMatchFileSnapshot('../docs/openapi.json');
});

test('the routes of src/api/contract/routes.ts are those that there are', async () => {
  const { signal: closing } = new AbortController();
  const app = createApp({
    control: new PlainControl(),
    token: 'x',
    codes: new DashboardCodes(),
    openers: new OpenerFiles('/nowhere'),
    port: () => null,
    closing,
  });
  const real = app.routes.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
  const documented = documentedRoutes(document)
    .map(({ method, path }) => `${method} ${path}`)
    .filter((route) => route.includes(' /api/'));
  expect(documented.sort()).toEqual(real.sort());
});
