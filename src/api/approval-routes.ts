import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { lineSink } from './answer.ts';
import type { ApiEnv, AppOptions } from './app.ts';
import { Approvals } from './approvals.ts';
import { ApprovalRequest, ConfirmRequest } from './contract/approvals.ts';
import { bodyAs, json } from './request.ts';

/** A page asks, looks, and takes back; `accept`, `decline` and `code` are a person's, on the socket: the guard lets no page ask for them. */
export function approvalRoutes({ control, closing }: AppOptions): Hono<ApiEnv> {
  const approvals = new Approvals(control);
  const routes = new Hono<ApiEnv>();
  routes.get('/approvals', (c) => json(c, approvals.list()));
  routes.post('/approvals', async (c) => json(c, await approvals.ask(await bodyAs(c, ApprovalRequest))));
  routes.get('/approvals/:id', (c) => json(c, approvals.info(c.req.param('id'))));
  routes.delete('/approvals/:id', (c) => json(c, approvals.withdraw(c.req.param('id'))));
  routes.get('/approvals/:id/events', (c) => events(c, approvals, closing));
  routes.post('/approvals/:id/confirm', async (c) => {
    const { code } = await bodyAs(c, ConfirmRequest);
    return json(c, approvals.confirm(c.req.param('id'), code));
  });
  routes.post('/approvals/:id/accept', (c) => json(c, approvals.accept(c.req.param('id'))));
  routes.post('/approvals/:id/decline', (c) => json(c, approvals.decline(c.req.param('id'))));
  routes.post('/approvals/:id/code', (c) => json(c, approvals.codeFor(c.req.param('id'))));
  return routes;
}

// — internal —

function events(c: Context<ApiEnv>, approvals: Approvals, closing: AbortSignal): Response {
  const id = c.req.param('id') ?? '';
  approvals.info(id);
  const { outgoing, listener } = c.env;
  const sink = lineSink(outgoing, listener);
  const stop = approvals.follow(id, (event, isLast) => {
    sink.write(event);
    if (isLast) sink.end();
  });
  closing.addEventListener('abort', sink.end, { once: true });
  outgoing.once('close', () => {
    stop();
    closing.removeEventListener('abort', sink.end);
  });
  return RESPONSE_ALREADY_SENT;
}
