import type { Context } from 'hono';
import { McpdError } from '../errors.ts';
import type { ApiEnv } from './app.ts';
import { type CallDetail, CallQuery } from './contract/calls.ts';
import { queryAs } from './request.ts';

/** What a request wants of the history of calls. */

/** @throws {McpdError} REQUEST_INVALID naming what does not fit */
export function callQueryOf(c: Context<ApiEnv>): CallQuery {
  return queryAs(c, CallQuery, ['since', 'until', 'minMs', 'limit']);
}

/** A call by the id in its route. @throws {McpdError} CALL_UNKNOWN */
export async function callOf(
  c: Context<ApiEnv>,
  find: (id: number) => Promise<CallDetail | null>,
): Promise<CallDetail> {
  const text = c.req.param('id') ?? '';
  const call = /^[1-9]\d{0,15}$/.test(text) ? await find(Number(text)) : null;
  if (call !== null) return call;
  throw new McpdError('CALL_UNKNOWN', {
    what: 'there is no such call in the history',
    why: 'the oldest calls are forgotten, and in a flood not every call is kept',
    fix: 'mcpd calls',
  });
}
