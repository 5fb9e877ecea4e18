import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import * as z from 'zod/mini';
import { asMcpdError } from '../errors.ts';
import { lineSink } from './answer.ts';
import type { ApiEnv, AppOptions } from './app.ts';
import { SecretRequest, TokenRequest } from './contract/credentials.ts';
import {
  AddRequest,
  ApplyRequest,
  type InstallEvent,
  InstallRequest,
  type InstallStep,
  ServerCommand,
  ServerPatch,
  ShutdownRequest,
} from './contract.ts';
import { bodyAs, flag, json, nameOf } from './request.ts';

/** Everything that changes something. Which of these a page may ask for is the guard's to say. */
export function changeRoutes({ control }: AppOptions): Hono<ApiEnv> {
  const routes = new Hono<ApiEnv>();
  routes.post('/plans', async (c) =>
    json(c, await control.plan(await bodyAs(c, InstallRequest), { exact: flag(c, 'exact') })),
  );
  routes.post('/servers', async (c) => {
    const request = await bodyAs(c, InstallRequest);
    return installing(c, (report, signal) => control.install(request, report, signal));
  });
  routes.post('/servers/add', async (c) => {
    const request = await bodyAs(c, AddRequest);
    return installing(c, (report, signal) => control.add(request, report, signal));
  });
  routes.patch('/servers/:name', async (c) => json(c, await control.patch(nameOf(c), await bodyAs(c, ServerPatch))));
  routes.delete('/servers/:name', async (c) => {
    await control.uninstall(nameOf(c), { purge: flag(c, 'purge') });
    return json(c, { removed: nameOf(c) });
  });
  routes.post('/servers/:name/:command', async (c) => {
    const command = z.safeParse(ServerCommand, c.req.param('command'));
    if (!command.success) return c.notFound();
    return json(c, await control.command(nameOf(c), command.data));
  });
  routes.post('/declared', async (c) => json(c, await control.apply(await bodyAs(c, ApplyRequest))));
  routes.post('/tokens', async (c) => json(c, control.addToken(await bodyAs(c, TokenRequest))));
  routes.delete('/tokens/:name', (c) => {
    const name = c.req.param('name');
    control.removeToken(name);
    return json(c, { removed: name });
  });
  routes.post('/secrets/:name', async (c) =>
    json(c, await control.setSecret(nameOf(c), await bodyAs(c, SecretRequest))),
  );
  routes.delete('/secrets/:name', async (c) =>
    json(c, { removed: await control.removeSecrets(nameOf(c), c.req.query('secret') ?? null) }),
  );
  routes.post('/shutdown', async (c) => {
    const request = await bodyAs(c, ShutdownRequest);
    // Once the answer is out, or nobody waits for it any more.
    c.env.outgoing.once('close', () => control.shutdown(request));
    return json(c, { stopping: true });
  });
  return routes;
}

// — internal —

type Run = (report: (event: InstallEvent) => void, signal: AbortSignal) => Promise<void>;

/** The events of an install as lines, as they come. A client that leaves before the end (Ctrl-C) ends the install. */
async function installing(c: Context<ApiEnv>, run: Run): Promise<Response> {
  const { outgoing, listener } = c.env;
  const sink = lineSink(outgoing, listener);
  const abort = new AbortController();
  const left = () => abort.abort();
  outgoing.once('close', left);
  let step: InstallStep = 'resolve';
  const report = (event: InstallEvent) => {
    if (event.type === 'step') step = event.step;
    sink.write(event);
  };
  try {
    await run(report, abort.signal);
  } catch (thrown) {
    if (!outgoing.headersSent) throw thrown;
    const error = asMcpdError(thrown, 'INTERNAL', 'the install failed');
    report({ type: 'failed', step, error: error.report(), stderrTail: [] });
  } finally {
    outgoing.off('close', left);
  }
  sink.end();
  return RESPONSE_ALREADY_SENT;
}
