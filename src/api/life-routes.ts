import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { asMcpdError, McpdError } from '../errors.ts';
import { lineSink } from './answer.ts';
import type { ApiEnv, AppOptions } from './app.ts';
import type { CheckupEvent } from './contract/checkup.ts';
import { PinRequest, UpdateAgreement, type UpdateEvent, UpdateRequest, type WaitingOffer } from './contract/updates.ts';
import { bodyAs, json, nameOf } from './request.ts';

/** What becomes of a server after it was installed. */
export function lifeRoutes({ control }: AppOptions): Hono<ApiEnv> {
  const routes = new Hono<ApiEnv>();
  routes.post('/servers/:name/verify', async (c) => {
    const life = await control.life();
    return followed<CheckupEvent>(c, 'the check-up', (report, signal) => life.verify(nameOf(c), report, signal));
  });
  // Files of packages are read for it, which takes its time.
  routes.post('/lock', async (c) =>
    json(c, await (await control.life()).lock({ deep: true, server: c.req.query('server') ?? null })),
  );
  routes.post('/servers/:name/lock', async (c) => json(c, await (await control.life()).agreeToLists(nameOf(c))));
  routes.post('/outdated', async (c) => json(c, await (await control.life()).outdated()));
  routes.get('/outdated', async (c) => json(c, await (await control.life()).versions()));
  routes.get('/servers/:name/update', async (c) => {
    const offer = await (await control.life()).offered(nameOf(c));
    return json(c, { offer } satisfies WaitingOffer);
  });
  routes.post('/servers/:name/update', async (c) => {
    const request = await bodyAs(c, UpdateRequest);
    const life = await control.life();
    return followed<UpdateEvent>(c, 'the update', (report, signal) =>
      life.offerUpdate(nameOf(c), request, report, signal),
    );
  });
  routes.post('/servers/:name/update/agreement', async (c) => {
    const { agreement } = await bodyAs(c, UpdateAgreement);
    return json(c, await (await control.life()).update(nameOf(c), agreement));
  });
  routes.post('/servers/:name/rollback', async (c) => json(c, await (await control.life()).rollback(nameOf(c))));
  routes.post('/servers/:name/pin', async (c) => {
    const { on } = await bodyAs(c, PinRequest);
    return json(c, await (await control.life()).pin(nameOf(c), on));
  });
  return routes;
}

// — internal —

/** Its events as lines, as they come. A client that leaves before the end calls it off. */
async function followed<E>(
  c: Context<ApiEnv>,
  what: string,
  run: (report: (event: E) => void, signal: AbortSignal) => Promise<void>,
): Promise<Response> {
  const { outgoing, listener } = c.env;
  const sink = lineSink(outgoing, listener);
  const abort = new AbortController();
  const left = () => abort.abort(new McpdError('INSTALL_CANCELLED', { what: `${what} was called off` }));
  outgoing.once('close', left);
  try {
    await run(sink.write, abort.signal);
  } catch (thrown) {
    if (!outgoing.headersSent) throw thrown;
    sink.write({ type: 'failed', error: asMcpdError(thrown, 'INTERNAL', `${what} failed`).report() });
  } finally {
    outgoing.off('close', left);
  }
  sink.end();
  return RESPONSE_ALREADY_SENT;
}
