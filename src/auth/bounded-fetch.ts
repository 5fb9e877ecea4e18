import { errnoOf, McpdError } from '../errors.ts';
import { AUTH_ANSWER_BYTES_MAX, AUTH_ANSWER_MS, AUTH_STEP_MS } from '../operation-limits.ts';
import type { Fetch } from '../proxy-fetch.ts';
import { untilAborted } from '../until-aborted.ts';
import { isSafeFor } from './resource.ts';

/**
 * `fetch` towards authorization servers, which nobody has vouched for: safe addresses only, bounded in time and size, and what is no JSON
 * is no answer, unless the status is all that is asked for. Errors name the address without its query, and never repeat what was sent. Redirects are the caller's to judge.
 * @throws {McpdError} LOGIN_FAILED, LOGIN_REFUSED (an address that is not safe)
 */
export function boundedFetch(
  fetch: Fetch,
  serverUrl: string,
  step: AbortSignal,
  expects: 'json' | 'status' = 'json',
): Fetch {
  return async (url, init) => {
    const address = new URL(url);
    checkSafe(address, serverUrl);
    const where = placeOf(address);
    const signal = AbortSignal.any([step, AbortSignal.timeout(AUTH_ANSWER_MS)]);
    let answer: Response;
    let body: Buffer;
    try {
      answer = await fetch(address, { ...init, signal, redirect: 'manual' });
      body = await bodyOf(answer, where);
    } catch (thrown) {
      throw unreachable(where, thrown, step);
    }
    const isJson = isJsonType(answer.headers.get('content-type'));
    const { status } = answer;
    if (isRedirect(status)) checkRedirect(address, answer, init);
    if (isRedirect(status)) return new Response(null, { status, headers: answer.headers });
    if ((init?.method ?? 'GET') === 'GET') {
      // A site that answers everything with its start page does not have this document.
      return isJson || status !== 200 ? copyOf(status, body) : copyOf(404, Buffer.alloc(0));
    }
    if (expects === 'status' && status < 300) return new Response(null, { status });
    if (!isJson)
      throw new McpdError('LOGIN_FAILED', {
        what: `${where} did not answer as an authorization server`,
        why: `status ${status}, ${typeOf(answer)} instead of JSON`,
      });
    return copyOf(status, status < 400 ? body : withoutEcho(body, init?.body ?? null));
  };
}

/**
 * Does all that one step needs of authorization servers, within `stepMs`.
 * @throws {McpdError} LOGIN_FAILED when it takes longer, and whatever `work` throws
 */
export async function withinStep<T>(
  what: string,
  signal: AbortSignal,
  work: (step: AbortSignal) => Promise<T>,
  stepMs = AUTH_STEP_MS,
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => {
    late.abort(new McpdError('LOGIN_FAILED', { what: `${what} took more than ${stepMs / 1000} s` }));
  }, stepMs);
  try {
    const step = AbortSignal.any([signal, late.signal]);
    // Node 20: an answer that is aborted between its last byte and its end neither ends nor fails, so an abort alone ends nothing for sure.
    return await untilAborted(work(step), step);
  } finally {
    clearTimeout(timer);
  }
}

/** Where a document was looked for, without what may be confidential in an address. */
export function placeOf(address: URL): string {
  return `${address.origin}${address.pathname}`;
}

/** @throws {McpdError} LOGIN_REFUSED */
export function checkSafe(address: URL, serverUrl: string): void {
  if (isSafeFor(address, serverUrl)) return;
  throw new McpdError('LOGIN_REFUSED', {
    what: `the login would go over ${address.protocol}//${address.host}, which mcpd does not use for logins`,
    why: 'it is neither https, nor on this machine like the server itself',
  });
}

/** Why a request came to nothing. */
export function unreachable(where: string, thrown: unknown, step: AbortSignal): McpdError {
  if (thrown instanceof McpdError) return thrown;
  if (step.aborted && step.reason instanceof McpdError) return step.reason;
  const { name, cause } = thrown as { name?: string; cause?: unknown };
  if (name === 'TimeoutError') {
    return new McpdError('LOGIN_FAILED', { what: `${where} did not answer within ${AUTH_ANSWER_MS / 1000} s` });
  }
  const why = errnoOf(cause) ?? errnoOf(thrown) ?? (cause instanceof Error ? cause.message : String(thrown));
  return new McpdError('LOGIN_FAILED', { what: `${where} cannot be reached`, why });
}

// — internal —

/** What was sent must not go on to another origin; a document is looked for elsewhere by whoever asked for it. */
function checkRedirect(address: URL, answer: Response, init: RequestInit | undefined): void {
  const location = answer.headers.get('location') ?? '';
  if ((init?.method ?? 'GET') === 'GET' || !URL.canParse(location, address.href)) return;
  const target = new URL(location, address);
  if (target.origin === address.origin) return;
  const what = `${placeOf(address)} sends the login on to ${target.origin}, which mcpd does not follow`;
  throw new McpdError('LOGIN_FAILED', { what });
}

function isRedirect(status: number): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}

function isJsonType(type: string | null): boolean {
  return /^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type ?? '');
}

function typeOf(answer: Response): string {
  return answer.headers.get('content-type')?.split(';', 1)[0] ?? 'something without a type';
}

/** What the body holds, unpacked. @throws {McpdError} LOGIN_FAILED above AUTH_ANSWER_BYTES_MAX */
async function bodyOf(answer: Response, where: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of answer.body ?? []) {
    size += part.length;
    if (size > AUTH_ANSWER_BYTES_MAX) {
      throw new McpdError('LOGIN_FAILED', { what: `${where} answered with more than ${AUTH_ANSWER_BYTES_MAX} bytes` });
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}

function copyOf(status: number, body: Buffer): Response {
  const headers = { 'content-type': 'application/json' };
  // Statuses that have no body (204, 304) may not be given an empty one.
  return new Response(body.length === 0 ? null : body, { status, headers });
}

/** The error alone, and its description only when it repeats nothing of what was sent: it is shown to people. */
function withoutEcho(body: Buffer, sent: unknown): Buffer {
  let parsed: { error?: unknown; error_description?: unknown };
  try {
    parsed = JSON.parse(body.toString('utf8'));
  } catch {
    return Buffer.from(JSON.stringify({ error: 'server_error', error_description: 'its answer is no JSON' }));
  }
  const error = typeof parsed?.error === 'string' ? parsed.error : 'server_error';
  const description = typeof parsed?.error_description === 'string' ? parsed.error_description : '';
  const values = sent instanceof URLSearchParams ? [...sent.values()] : [];
  const echoes = values.some((value) => value.length >= 8 && (description.includes(value) || error.includes(value)));
  return Buffer.from(JSON.stringify(echoes ? { error: 'server_error' } : { error, error_description: description }));
}
