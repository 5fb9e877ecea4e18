import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { asMcpdError, McpdError } from '../errors.ts';
import { lineSink } from './answer.ts';
import type { ApiEnv, AppOptions } from './app.ts';
import { LoginRequest, PageLoginRequest } from './contract/logins.ts';
import { bodyAs, json, nameOf } from './request.ts';

/** Logging in at remote servers. A page may begin a login with `/login`, and the guard lets it ask for nothing else of this. */
export function loginRoutes(options: AppOptions): Hono<ApiEnv> {
  const routes = new Hono<ApiEnv>();
  routes.post('/servers/:name/auth', async (c) => login(c, options, await bodyAs(c, LoginRequest)));
  routes.post('/servers/:name/login', async (c) => login(c, options, await bodyAs(c, PageLoginRequest)));
  routes.delete('/servers/:name/auth', async (c) => json(c, await options.control.forgetLogin(nameOf(c))));
  return routes;
}

// — internal —

/** The events of a login as lines, as they come. A client that leaves before the end (Ctrl-C) calls it off. */
async function login(c: Context<ApiEnv>, { control }: AppOptions, request: LoginRequest): Promise<Response> {
  const name = nameOf(c);
  const { outgoing, listener } = c.env;
  const sink = lineSink(outgoing, listener);
  const abort = new AbortController();
  const left = () => abort.abort(new McpdError('LOGIN_CANCELLED', { what: 'nobody waits for the login any more' }));
  outgoing.once('close', left);
  try {
    await control.login(name, request, sink.write, abort.signal);
  } catch (thrown) {
    if (!outgoing.headersSent) throw thrown;
    sink.write({ type: 'failed', error: asMcpdError(thrown, 'INTERNAL', 'the login failed').report() });
  } finally {
    outgoing.off('close', left);
  }
  sink.end();
  return RESPONSE_ALREADY_SENT;
}
