import { ToolFailure } from '../tool-failure.ts';
import { untilAborted } from '../until-aborted.ts';

/** A forecast is a few kilobytes. What is larger is not one. */
const ANSWER_BYTES_MAX = 1024 * 1024;
const REASON_LENGTH_MAX = 200;
const REFUSED_BY_LIMIT = 429;

/**
 * The JSON at `url`. No redirect is followed: the services send none, but login pages of hotel networks do.
 * @throws {ToolFailure} anything else than JSON came, or nothing at all; its message names the host, and never the query (it may hold a key).
 */
export async function fetchJson(url: URL, timeoutMs: number, cancelled: AbortSignal): Promise<unknown> {
  const timeout = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([timeout, cancelled]);
  try {
    return await untilAborted(answerOf(url, signal), signal);
  } catch (error) {
    if (error instanceof ToolFailure) throw error;
    if (timeout.aborted)
      throw new ToolFailure(
        { what: `${url.host} did not answer within ${timeoutMs / 1000} s`, fix: checkNetwork() },
        { cause: error },
      );
    throw new ToolFailure(
      { what: `Could not reach ${url.host}`, why: causeOf(error), fix: checkNetwork() },
      { cause: error },
    );
  }
}

// — internal —

async function answerOf(url: URL, signal: AbortSignal): Promise<unknown> {
  const response = await fetch(url, {
    redirect: 'manual',
    signal,
    headers: { accept: 'application/json', 'user-agent': 'mcpd-weather' },
  });
  const body = await readUpTo(response, ANSWER_BYTES_MAX, url.host);
  return jsonOf(response, body, url.host);
}

async function readUpTo(response: Response, bytesMax: number, host: string): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > bytesMax)
      throw new ToolFailure({ what: `${host} sent more than ${bytesMax} bytes, which is no weather`, fix: tryLater() });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function jsonOf(response: Response, body: string, host: string): unknown {
  const { status } = response;
  if (status >= 300 && status < 400) throw notTheService(host, `it redirects to ${targetOf(response)}`);
  if (status === REFUSED_BY_LIMIT) {
    const wait = response.headers.get('retry-after');
    const fix = wait !== null && /^\d+$/.test(wait) ? `again in ${wait} s` : 'again in a few minutes';
    throw new ToolFailure({ what: `${host} refuses more requests from this network for now (HTTP 429)`, fix });
  }
  if (status >= 500)
    throw new ToolFailure({ what: `${host} has a problem of its own (HTTP ${status})`, fix: tryLater() });
  const value = parse(body);
  if (status >= 400) {
    const reason = reasonIn(value);
    throw new ToolFailure({
      what: `${host} refused the request (HTTP ${status})`,
      ...(reason === undefined ? {} : { why: reason }),
    });
  }
  if (value === undefined)
    throw notTheService(host, body.trimStart().startsWith('<') ? 'it sent a web page' : 'what it sent is not JSON');
  return value;
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined; // JSON has no undefined: the caller can tell.
  }
}

function notTheService(host: string, why: string): ToolFailure {
  return new ToolFailure({
    what: `${host} did not answer with weather data`,
    why,
    fix: 'see in a browser whether this network wants you to log in first, or whether a proxy answers in its place',
  });
}

function targetOf(response: Response): string {
  const location = response.headers.get('location') ?? '';
  return URL.canParse(location, response.url) ? new URL(location, response.url).host : 'another place';
}

function reasonIn(value: unknown): string | undefined {
  const reason = (value as { reason?: unknown } | null | undefined)?.reason;
  return typeof reason === 'string' ? reason.slice(0, REASON_LENGTH_MAX) : undefined;
}

/** fetch says only "fetch failed"; the reason is in its cause: ENOTFOUND, ECONNREFUSED, a certificate. */
function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = (cause as { code?: unknown } | null)?.code;
  const message = cause instanceof Error ? cause.message : String(cause);
  // Where every address of a host failed, the message is empty and the code says it.
  return [message, typeof code === 'string' && !message.includes(code) && `(${code})`].filter(Boolean).join(' ');
}

function checkNetwork(): string {
  const proxied = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].some(
    (name) => process.env[name] !== undefined,
  );
  const proxy = proxied
    ? '; this server goes past the proxy of your environment, unless Node is 24 or newer and NODE_USE_ENV_PROXY=1 is set'
    : '';
  return `check the network connection, or set WEATHER_GEOCODING_URL and WEATHER_FORECAST_URL to a mirror${proxy}`;
}

function tryLater(): string {
  return 'again in a few minutes';
}
