import { errnoOf, McpdError } from '../../src/errors.ts';
import type { Fetch } from '../../src/proxy-fetch.ts';
import {
  REGISTRY_ANSWER_BYTES_MAX,
  REGISTRY_REDIRECTS_MAX,
  REGISTRY_REFUSAL_BYTES_MAX,
  REGISTRY_REFUSAL_CHARS_MAX,
} from '../../src/registry-limits.ts';
import { untilAborted } from '../../src/until-aborted.ts';
import { refusalOf } from './answers.ts';

/** What a registry answered: JSON, or that there is no such thing. */
export type Exchanged = { kind: 'answer'; body: unknown } | { kind: 'nothing'; said: string | null };

/**
 * One question to a registry, bounded in time and size. Redirects are followed within the same origin only: what comes from elsewhere was
 * not what a person chose.
 * @throws {McpdError} FETCH_FAILED saying which registry could not be asked and why, PROXY_FAILED; the reason of `signal`
 */
export async function askRegistry(
  fetch: Fetch,
  address: string,
  signal: AbortSignal,
  answerMs: number,
): Promise<Exchanged> {
  const late = AbortSignal.timeout(answerMs);
  const bound = AbortSignal.any([signal, late]);
  try {
    // Node 20: an answer that is aborted between its last byte and its end neither ends nor fails, so an abort alone ends nothing for sure.
    return await untilAborted(exchanged(fetch, new URL(address), bound), bound);
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    if (thrown instanceof McpdError) throw thrown;
    throw unreachable(new URL(address), thrown, late.aborted ? answerMs : null);
  }
}

/** A registry, for people: `registry.example.com`, with its port and path where it has any. */
export function placeOfRegistry(registry: string): string {
  const { host, pathname } = new URL(registry);
  return `${host}${pathname === '/' ? '' : pathname}`;
}

// — internal —

async function exchanged(fetch: Fetch, address: URL, signal: AbortSignal): Promise<Exchanged> {
  let url = address;
  for (let hops = 0; ; hops++) {
    const answer = await fetch(url, { signal, redirect: 'manual', headers: { accept: 'application/json' } });
    if (!REDIRECTS.has(answer.status)) return read(answer, url);
    await answer.body?.cancel();
    url = redirected(answer, url, hops);
  }
}

async function read(answer: Response, url: URL): Promise<Exchanged> {
  const { status } = answer;
  if (status === 404 || status === 410) return { kind: 'nothing', said: await saidIn(answer) };
  if (status !== 200) throw refused(answer, url, await saidIn(answer));
  const body = await textOf(answer, REGISTRY_ANSWER_BYTES_MAX);
  if (body === null) {
    const most = `${REGISTRY_ANSWER_BYTES_MAX / MIB} MiB`;
    throw failed(url, 'answered too much', `one answer is read up to ${most}`);
  }
  try {
    return { kind: 'answer', body: JSON.parse(body) };
  } catch {
    const type = answer.headers.get('content-type')?.split(';', 1)[0];
    throw failed(
      url,
      'did not answer as an MCP registry',
      `its answer is no JSON${type ? `, but ${type.slice(0, 60)}` : ''}`,
    );
  }
}

const MIB = 1024 * 1024;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

function redirected(answer: Response, from: URL, hops: number): URL {
  const location = answer.headers.get('location') ?? '';
  const to = location !== '' && URL.canParse(location, from.href) ? new URL(location, from) : null;
  if (to === null) throw failed(from, `answered with status ${answer.status} and no address`, undefined);
  if (to.origin !== from.origin) {
    const fix = 'if you trust that address: mcpd registries add it in the place of this one';
    throw failed(
      from,
      `sends the question on to ${to.origin.slice(0, 100)}, which mcpd does not follow`,
      undefined,
      fix,
    );
  }
  if (hops >= REGISTRY_REDIRECTS_MAX)
    throw failed(from, `redirects more than ${REGISTRY_REDIRECTS_MAX} times`, undefined);
  return to;
}

function refused(answer: Response, url: URL, said: string | null): McpdError {
  const { status } = answer;
  const wait = /^\d{1,6}$/.exec(answer.headers.get('retry-after') ?? '')?.[0];
  const fix =
    status === 401 || status === 403
      ? 'mcpd asks registries without a login'
      : wait === undefined
        ? 'again later'
        : `again in ${wait} s`;
  const what = status === 429 ? 'takes no more questions for now (status 429)' : `answered with status ${status}`;
  return failed(url, what, said ?? undefined, fix);
}

function unreachable(url: URL, thrown: unknown, lateMs: number | null): McpdError {
  if (lateMs !== null) return failed(url, 'cannot be reached', `no answer within ${lateMs / 1000} s`, OFFLINE_FIX);
  const { cause } = thrown as { cause?: unknown };
  const why = errnoOf(cause) ?? errnoOf(thrown) ?? (cause instanceof Error ? cause.message : String(thrown));
  return failed(url, 'cannot be reached', why, OFFLINE_FIX);
}

const OFFLINE_FIX = 'are you online? Which registries are asked: mcpd registries';

function failed(
  url: URL,
  what: string,
  why: string | undefined,
  fix = 'which registries are asked: mcpd registries',
): McpdError {
  return new McpdError('FETCH_FAILED', { what: `${url.host} ${what}`, ...(why === undefined ? {} : { why }), fix });
}

/** What a refusal says; null where it says nothing for people. */
async function saidIn(answer: Response): Promise<string | null> {
  const text = await textOf(answer, REGISTRY_REFUSAL_BYTES_MAX);
  return text === null ? null : (refusalOf(text)?.slice(0, REGISTRY_REFUSAL_CHARS_MAX) ?? null);
}

/** The body, unpacked; null when it is longer. */
async function textOf(answer: Response, bytesMax: number): Promise<string | null> {
  const parts: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop ends the connection.
  for await (const part of answer.body ?? []) {
    size += part.length;
    if (size > bytesMax) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
