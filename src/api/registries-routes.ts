import { Hono } from 'hono';
import { McpdError } from '../errors.ts';
import type { ApiEnv, AppOptions } from './app.ts';
import { RegistriesRequest } from './contract/search.ts';
import { bodyAs, flag, json } from './request.ts';

/** What can be installed by name. A page may search; which registries are asked is for the CLI to say. */
export function registriesRoutes({ control }: AppOptions): Hono<ApiEnv> {
  const routes = new Hono<ApiEnv>();
  routes.get('/search', async (c) => {
    const registries = await control.registries();
    return json(c, await registries.search(c.req.query('query') ?? '', { catalog: flag(c, 'catalog') }));
  });
  routes.get('/plans', async (c) => {
    const name = c.req.query('name');
    const request = { spec: publishedName(c.req.query('spec') ?? ''), ...(name === undefined ? {} : { name }) };
    return json(c, await control.plan(request, { exact: false }));
  });
  routes.get('/registries', async (c) => json(c, (await control.registries()).info()));
  routes.get('/registries/standings', async (c) => json(c, await (await control.registries()).standings()));
  routes.post('/registries', async (c) => {
    const request = await bodyAs(c, RegistriesRequest);
    return json(c, (await control.registries()).set(request));
  });
  routes.delete('/registries', async (c) => json(c, (await control.registries()).set(null)));
  return routes;
}

// — internal —

/** `github`, `io.github.acme/weather@1.2.0`: nothing that could be a folder of this machine, an address or a package that nobody lists. */
const PUBLISHED_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,200}(?:\/[A-Za-z0-9._-]{1,200}(?:@[^\s/\\:]{1,255})?)?$/;

/** @throws {McpdError} REQUEST_INVALID */
function publishedName(spec: string): string {
  if (PUBLISHED_NAME.test(spec)) return spec;
  throw new McpdError('REQUEST_INVALID', {
    what: 'this is no name of the catalog or of an MCP registry',
    why: 'a page may look at nothing else before somebody agrees to its install',
  });
}
