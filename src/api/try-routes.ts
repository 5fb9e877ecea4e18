import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { McpdError } from '../errors.ts';
import { TRY_NOTICES_BYTES_MAX } from '../operation-limits.ts';
import { lineSink } from './answer.ts';
import type { ApiEnv, AppOptions } from './app.ts';
import { CompletionRequest } from './contract/offers.ts';
import { TryAnswer, type TryEvent, TryRequest } from './contract/tries.ts';
import { bodyAs, json, nameOf } from './request.ts';

/** A person tries a server's tools, prompts and resources. */
export function tryRoutes(options: AppOptions): Hono<ApiEnv> {
  const { offers } = options.control;
  const routes = new Hono<ApiEnv>();
  routes.post('/servers/:name/tries', (c) => trying(c, options));
  routes.post('/servers/:name/offer', (c) => whileAwaited(c, (signal) => offers.readAnew(nameOf(c), signal)));
  routes.post('/servers/:name/completions', async (c) => {
    const request = await bodyAs(c, CompletionRequest);
    return whileAwaited(c, (signal) => offers.complete(nameOf(c), request, signal));
  });
  routes.post('/tries/:try/answers/:question', async (c) => {
    const answer = await bodyAs(c, TryAnswer);
    await offers.answer(c.req.param('try'), c.req.param('question'), answer);
    return json(c, { answered: true });
  });
  return routes;
}

// — internal —

/** A client that leaves calls it off. */
async function whileAwaited(c: Context<ApiEnv>, work: (signal: AbortSignal) => Promise<unknown>): Promise<Response> {
  const { outgoing } = c.env;
  const abort = new AbortController();
  const left = () => abort.abort();
  outgoing.once('close', left);
  try {
    return json(c, await work(abort.signal));
  } finally {
    outgoing.off('close', left);
  }
}

/** The events of a try as lines, as they come. A client that leaves before the end cancels the call. */
async function trying(c: Context<ApiEnv>, { control }: AppOptions): Promise<Response> {
  const name = nameOf(c);
  const request = await bodyAs(c, TryRequest);
  const { outgoing, listener } = c.env;
  const sink = lineSink(outgoing, listener);
  const abort = new AbortController();
  const left = () => abort.abort(new McpdError('REQUEST_INVALID', { what: 'nobody waits for the try any more' }));
  outgoing.once('close', left);
  try {
    await control.offers.try(name, request, sparing(outgoing, sink.write), abort.signal);
  } finally {
    outgoing.off('close', left);
  }
  sink.end();
  return RESPONSE_ALREADY_SENT;
}

/** A reader who is behind misses what can be missed, and is told how much; but never a question, or the end. */
function sparing(outgoing: ServerResponse, write: (event: TryEvent) => void): (event: TryEvent) => void {
  let dropped = 0;
  return (event) => {
    const count = event.type === 'dropped' ? event.count : event.type === 'log' || event.type === 'progress' ? 1 : 0;
    const isBehind = outgoing.writableLength > TRY_NOTICES_BYTES_MAX;
    if (event.type === 'dropped' || (count > 0 && isBehind)) {
      dropped += count;
      return;
    }
    if (dropped > 0) write({ type: 'dropped', count: dropped });
    dropped = 0;
    write(event);
  };
}
