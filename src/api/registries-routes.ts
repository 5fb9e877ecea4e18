import { Hono } from 'hono';
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
  routes.get('/registries', async (c) => json(c, (await control.registries()).info()));
  routes.post('/registries', async (c) => {
    const request = await bodyAs(c, RegistriesRequest);
    return json(c, (await control.registries()).set(request));
  });
  routes.delete('/registries', async (c) => json(c, (await control.registries()).set(null)));
  return routes;
}
