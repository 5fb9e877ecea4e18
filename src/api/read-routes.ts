import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { LOG_ANSWER_LINES_MAX } from '../operation-limits.ts';
import { lineSink } from './answer.ts';
import type { ApiEnv, AppOptions } from './app.ts';
import { callOf, callQueryOf } from './call-query.ts';
import { Health } from './health.ts';
import { followLog, pastLog } from './log-follow.ts';
import { flag, json, nameOf, wholeNumber } from './request.ts';

const LINES = 100;

/** Everything that only looks. */
export function readRoutes(options: AppOptions): Hono<ApiEnv> {
  const { control } = options;
  const routes = new Hono<ApiEnv>();
  const health = new Health(control);
  routes.get('/status', (c) => json(c, control.status()));
  routes.get('/servers', (c) => json(c, control.servers()));
  routes.get('/servers/:name', async (c) => json(c, await control.server(nameOf(c))));
  routes.get('/servers/:name/offer', (c) => json(c, control.offers.of(nameOf(c))));
  routes.get('/servers/:name/logs', (c) => logs(c, options));
  routes.get('/servers/:name/figures', (c) => json(c, control.figures.of(nameOf(c))));
  routes.get('/figures', (c) => json(c, control.figures.all()));
  routes.get('/tools', (c) => json(c, control.tools(c.req.query('server') ?? null)));
  routes.get('/health', async (c) => json(c, await health.report(performance.now())));
  routes.get('/sessions', (c) => json(c, control.sessions()));
  routes.get('/processes', async (c) => json(c, await control.processes()));
  routes.get('/catalog', async (c) => json(c, await control.catalog(c.req.query('query') ?? '')));
  routes.get('/calls', async (c) => json(c, await control.calls(callQueryOf(c))));
  routes.get('/calls/:id', async (c) => json(c, await callOf(c, (id) => control.call(id))));
  routes.get('/secrets', (c) => json(c, control.secrets()));
  routes.get('/tokens', (c) => json(c, control.tokens()));
  routes.get('/declared', async (c) => json(c, await control.exportSet({ lock: flag(c, 'lock') })));
  return routes;
}

// — internal —

async function logs(c: Context<ApiEnv>, options: AppOptions): Promise<Response> {
  const name = nameOf(c);
  const past = {
    lines: wholeNumber(c, 'lines', { min: 0, max: LOG_ANSWER_LINES_MAX }) ?? LINES,
    since: wholeNumber(c, 'since', { min: 0, max: Number.MAX_SAFE_INTEGER }),
  };
  const { control } = options;
  const protocol = flag(c, 'protocol') ? (await control.recordings()).protocol : null;
  if (!flag(c, 'follow')) return json(c, await pastLog(control, protocol, name, past));
  const { outgoing, listener } = c.env;
  const sink = lineSink(outgoing, listener);
  const { taken, stop } = await followLog(control, protocol, name, past, sink);
  sink.begin();
  outgoing.on('drain', taken);
  outgoing.once('close', stop);
  if (outgoing.destroyed) stop();
  options.closing.addEventListener('abort', sink.end, { once: true });
  outgoing.once('close', () => options.closing.removeEventListener('abort', sink.end));
  return RESPONSE_ALREADY_SENT;
}
