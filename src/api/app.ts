import type { RequestListener } from 'node:http';
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { asMcpdError, McpdError } from '../errors.ts';
import { encoded, type Listener } from './answer.ts';
import { approvalRoutes } from './approval-routes.ts';
import { changeRoutes } from './change-routes.ts';
import type { DashboardCodes } from './codes.ts';
import type { DaemonControl } from './daemon-control.ts';
import { lifeRoutes } from './life-routes.ts';
import { loginRoutes } from './login-routes.ts';
import type { OpenerFiles } from './opener-files.ts';
import { readRoutes } from './read-routes.ts';
import { recordingRoutes } from './recording-routes.ts';
import { registriesRoutes } from './registries-routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { telemetryRoutes } from './telemetry-routes.ts';
import { tryRoutes } from './try-routes.ts';

export interface ApiEnv {
  Bindings: HttpBindings & { listener: Listener };
}

export interface AppOptions {
  control: DaemonControl;
  token: string;
  codes: DashboardCodes;
  openers: OpenerFiles;
  /** Port of the page, or null while it is off. */
  port: () => number | null;
  /** Ends every stream that is open. */
  closing: AbortSignal;
}

/** The one app behind both listeners. What each of them lets in was decided by the guard before. */
export function createListeners(options: AppOptions): Record<Listener, RequestListener> {
  const app = createApp(options);
  const listen = (listener: Listener) =>
    getRequestListener((request, env) => app.fetch(request, { ...env, listener }), { overrideGlobalObjects: false });
  return { local: listen('local'), web: listen('web') };
}

export function createApp(options: AppOptions): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();
  app.route('/api', readRoutes(options));
  app.route('/api', loginRoutes(options));
  app.route('/api', tryRoutes(options));
  app.route('/api', recordingRoutes(options));
  // Before the commands of a server, which have its name and one word too.
  app.route('/api', lifeRoutes(options));
  app.route('/api', changeRoutes(options));
  app.route('/api', approvalRoutes(options));
  app.route('/api', sessionRoutes(options));
  app.route('/api', telemetryRoutes(options));
  app.route('/api', registriesRoutes(options));
  app.notFound((c) => answerFault(c, new McpdError('ROUTE_UNKNOWN', { what: 'nothing is here' })));
  app.onError((thrown, c) => answerFault(c, asMcpdError(thrown, 'INTERNAL', 'the daemon could not answer')));
  return app;
}

// — internal —

function answerFault(c: Context<ApiEnv>, error: McpdError): Response {
  // A body that was not read to its end must not be taken for the next request.
  if (c.env.incoming.complete === false) c.header('connection', 'close');
  c.header('content-type', 'application/json; charset=utf-8');
  return new Response(encoded({ error: error.report() }, c.env.listener), {
    status: error.httpStatus,
    headers: c.res.headers,
  });
}
