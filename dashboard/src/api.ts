import type { ErrorBody } from '../../src/api/contract.ts';
import { keptToken } from './session.ts';

/** An answer that is none: with what happened, why, and what to try, as the daemon said it. */
export class ApiError extends Error {
  readonly report: ErrorBody['error'];
  constructor(report: ErrorBody['error']) {
    super(report.what);
    this.report = report;
  }
}

interface Asking {
  signal?: AbortSignal;
}

/** @throws {ApiError} as all of these; a request that was aborted throws the reason of its signal */
export function get<T>(path: string, asking: Asking = {}): Promise<T> {
  return answerOf<T>('GET', path, undefined, asking);
}

export function post<T>(path: string, body: unknown = {}, asking: Asking = {}): Promise<T> {
  return answerOf<T>('POST', path, body, asking);
}

export function patch<T>(path: string, body: unknown, asking: Asking = {}): Promise<T> {
  return answerOf<T>('PATCH', path, body, asking);
}

export function remove<T>(path: string, asking: Asking = {}): Promise<T> {
  return answerOf<T>('DELETE', path, undefined, asking);
}

/**
 * The lines of JSON of a long answer, as they come. Leaving the loop ends the request, and so does the signal.
 * @throws {ApiError} when the request is refused, before the first line
 */
export async function* linesOf<T>(
  path: string,
  { method = 'GET', body, signal }: Asking & { method?: 'GET' | 'POST'; body?: unknown } = {},
): AsyncGenerator<T, void> {
  const response = await ask(method, path, body, signal);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  const splitter = new LineSplitter();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      for (const line of done ? splitter.end() : splitter.push(value)) yield JSON.parse(line) as T;
      if (done) return;
    }
  } finally {
    // Also when the loop was left early; a reader that failed has nothing to cancel.
    await reader.cancel().catch(() => undefined);
  }
}

/** What to show of anything that was thrown. */
export function reportOf(thrown: unknown): ErrorBody['error'] {
  if (thrown instanceof ApiError) return thrown.report;
  return { code: 'INTERNAL', what: thrown instanceof Error ? thrown.message : String(thrown) };
}

/** Whether somebody called it off: then there is nothing to tell. */
export function wasAborted(thrown: unknown): boolean {
  return thrown instanceof DOMException && thrown.name === 'AbortError';
}

/** Called when the daemon does not know our token (any more). */
export function onTokenRefused(listener: () => void): void {
  tokenRefused = listener;
}

/** Chunks of text in, whole lines out. Pure; a line of many chunks costs no more than its length. */
export class LineSplitter {
  private begun: string[] = [];

  push(chunk: string): string[] {
    const [first = '', ...others] = chunk.split('\n');
    this.begun.push(first);
    const last = others.pop();
    if (last === undefined) return [];
    const lines = [this.begun.join(''), ...others];
    this.begun = [last];
    return lines.filter((line) => line !== '');
  }

  /** What came without an end. */
  end(): string[] {
    const rest = this.begun.join('');
    this.begun = [];
    return rest === '' ? [] : [rest];
  }
}

// — internal —

let tokenRefused: () => void = () => undefined;

async function answerOf<T>(method: string, path: string, body: unknown, asking: Asking): Promise<T> {
  const response = await ask(method, path, body, asking.signal);
  return (await response.json()) as T;
}

async function ask(method: string, path: string, body: unknown, signal: AbortSignal | undefined): Promise<Response> {
  const headers: Record<string, string> = { authorization: `Bearer ${keptToken() ?? ''}` };
  if (body !== undefined) headers['content-type'] = 'application/json';
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (thrown) {
    if (wasAborted(thrown) || signal?.aborted) throw thrown;
    throw new ApiError({ code: 'DAEMON_UNREACHABLE', what: 'mcpd does not answer', fix: 'mcpd up' });
  }
  if (response.ok) return response;
  if (response.status === 401) tokenRefused();
  throw new ApiError(await faultOf(response));
}

async function faultOf(response: Response): Promise<ErrorBody['error']> {
  try {
    return ((await response.json()) as ErrorBody).error;
  } catch {
    // Not an answer of ours; its status is all there is to tell.
    return { code: 'INTERNAL', what: `mcpd answered with status ${response.status}` };
  }
}
