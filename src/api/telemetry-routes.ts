import { Hono } from 'hono';
import type { ApiEnv, AppOptions } from './app.ts';
import { TelemetryRequest } from './contract/telemetry.ts';
import { bodyAs, flag, json } from './request.ts';

/** Figures for other programs. A page may look; where they are sent to is for the CLI to say, and so is the token. */
export function telemetryRoutes({ control: { telemetry } }: AppOptions): Hono<ApiEnv> {
  const routes = new Hono<ApiEnv>();
  routes.get('/telemetry', (c) => json(c, telemetry.status()));
  routes.post('/telemetry', async (c) => json(c, await telemetry.set(await bodyAs(c, TelemetryRequest))));
  routes.delete('/telemetry', async (c) => json(c, await telemetry.off()));
  routes.post('/telemetry/token', (c) => json(c, telemetry.token({ renew: flag(c, 'renew') })));
  return routes;
}
