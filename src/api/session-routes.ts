import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import * as z from 'zod/mini';
import { McpdError } from '../errors.ts';
import { DASHBOARD_CODE_MS } from '../operation-limits.ts';
import { lineSink } from './answer.ts';
import type { ApiEnv, AppOptions } from './app.ts';
import { watchLive } from './live.ts';
import { bodyAs, json } from './request.ts';
import { newSecret } from './token.ts';

const CodeRequest = z.object({ file: z.optional(z.boolean()) });
const SessionRequest = z.object({ code: z.string().check(z.maxLength(100)) });

/** How a page comes to its token, and the live stream. */
export function sessionRoutes(options: AppOptions): Hono<ApiEnv> {
  const routes = new Hono<ApiEnv>();
  routes.post('/codes', async (c) => {
    const { file = false } = await bodyAs(c, CodeRequest);
    const port = options.port();
    if (port === null) {
      throw new McpdError('DAEMON_UNREACHABLE', {
        what: 'the dashboard is off',
        why: 'another program has its port',
        fix: 'end that program, or set MCPD_PORT and run: mcpd restart',
      });
    }
    const code = newSecret();
    options.codes.add(code, performance.now());
    // Behind the #: it reaches no server, no log and no referrer.
    const url = `http://127.0.0.1:${port}/#code=${code}`;
    const opener = file ? { file: options.openers.write(code, url) } : {};
    return json(c, { url, expiresInMs: DASHBOARD_CODE_MS, ...opener });
  });
  routes.post('/session', async (c) => {
    const { code } = await bodyAs(c, SessionRequest);
    if (options.codes.use(code, performance.now())) {
      options.openers.remove(code);
      return json(c, { token: options.token });
    }
    throw new McpdError('UNAUTHORIZED', {
      what: 'this link was used before, or is older than a minute',
      fix: 'open the dashboard with: mcpd dashboard',
    });
  });
  routes.get('/live', (c) => live(c, options));
  return routes;
}

// — internal —

function live(c: Context<ApiEnv>, { control, closing }: AppOptions): Response {
  const { outgoing, listener } = c.env;
  const sink = lineSink(outgoing, listener);
  const watch = watchLive(control, sink);
  outgoing.on('drain', watch.taken);
  closing.addEventListener('abort', sink.end, { once: true });
  outgoing.once('close', () => {
    watch.stop();
    closing.removeEventListener('abort', sink.end);
  });
  return RESPONSE_ALREADY_SENT;
}
