import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { BUNDLE_BYTES_MAX, BUNDLE_DOWNLOAD_MS, BUNDLE_REDIRECTS_MAX, BUNDLE_SILENCE_MS } from '../../bundle-limits.ts';
import { errnoOf, McpdError } from '../../errors.ts';
import { isLoopback } from '../../loopback.ts';
import type { Fetch } from '../../proxy-fetch.ts';
import { shellWord } from '../../shell-word.ts';
import { showable } from '../../text.ts';

/** Where a bundle is: an absolute path, or an address that `bundleAddress` gave. */
export type BundleSource = { kind: 'file'; path: string } | { kind: 'url'; url: string };

/**
 * An address that bundles may come from: https, or http on this machine. Without user and password, which a registry would keep.
 * @throws {McpdError} SPEC_INVALID
 */
export function bundleAddress(text: string): URL {
  const refused = (why: string, fix: string) =>
    new McpdError('SPEC_INVALID', { what: 'no bundle can be fetched from there', why, fix });
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null) throw refused('it is no address', 'mcpd install https://HOST/NAME.mcpb');
  if (url.username !== '' || url.password !== '')
    throw refused('the address holds a user or a password', 'download it yourself: mcpd install ./NAME.mcpb');
  if (url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url))) return url;
  throw refused(`${url.protocol.slice(0, -1)} is not safe on the way`, `use https: https://${url.host}${url.pathname}`);
}

/** Of the identifier of a package: `sourceText` the other way round. @throws {McpdError} SPEC_INVALID */
export function bundleSource(identifier: string): BundleSource {
  if (/^https?:/i.test(identifier)) return { kind: 'url', url: bundleAddress(identifier).href };
  return { kind: 'file', path: identifier };
}

export function sourceText(source: BundleSource): string {
  return source.kind === 'file' ? source.path : source.url;
}

/**
 * Writes a bundle to `target`, and hashes all of it on the way.
 * @returns its sha-256, 64 hex digits
 * @throws {McpdError} FETCH_FAILED, PACKAGE_UNKNOWN, BUNDLE_UNSAFE, SPEC_INVALID, PROXY_FAILED; the signal's reason
 */
export async function copyBundle(
  source: BundleSource,
  target: FileHandle,
  fetch: Fetch,
  signal: AbortSignal,
  report: (detail: string) => void,
): Promise<string> {
  if (source.kind === 'file') {
    const file = await openFile(source.path);
    try {
      return await copied(file.createReadStream({ autoClose: false }), target, () => signal.throwIfAborted());
    } finally {
      await file.close();
    }
  }
  return downloaded(bundleAddress(source.url), target, fetch, signal, report);
}

// — internal —

const MIB = 1024 * 1024;
const REPORT_EVERY_BYTES = 10 * MIB;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

async function openFile(path: string): Promise<FileHandle> {
  const unknown = (why: string) =>
    new McpdError('PACKAGE_UNKNOWN', { what: `there is no bundle ${path}`, why, fix: `ls -l ${shellWord(path)}` });
  let file: FileHandle;
  try {
    // A pipe without a writer would be waited for.
    file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  } catch (error) {
    const errno = errnoOf(error);
    throw unknown(errno === 'ENOENT' ? 'the file does not exist' : `it cannot be read (${errno ?? String(error)})`);
  }
  try {
    const found = await file.stat();
    if (!found.isFile()) throw unknown('it is no file');
    if (found.size > BUNDLE_BYTES_MAX) throw tooLarge();
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function downloaded(
  first: URL,
  target: FileHandle,
  fetch: Fetch,
  signal: AbortSignal,
  report: (detail: string) => void,
): Promise<string> {
  const given = new GivenUp(signal);
  try {
    const response = await answered(first, fetch, given);
    const length = Number(response.headers.get('content-length') ?? 0);
    if (length > BUNDLE_BYTES_MAX) throw tooLarge();
    if (response.body === null) throw failed(first, 'the answer is empty');
    let told = 0;
    const ofAll = length > 0 ? ` of ${Math.ceil(length / MIB)}` : '';
    return await copied(
      Readable.fromWeb(response.body as import('node:stream/web').ReadableStream),
      target,
      (bytes) => {
        given.heard();
        if (bytes - told < REPORT_EVERY_BYTES) return;
        told = bytes;
        report(`${Math.floor(bytes / MIB)}${ofAll} MiB are here`);
      },
    );
  } catch (thrown) {
    if (signal.aborted) throw signal.reason;
    if (thrown instanceof McpdError) throw thrown;
    if (SYSTEM_ERROR.test(errnoOf(thrown) ?? '') && (thrown as NodeJS.ErrnoException).syscall === 'write') throw thrown;
    throw failed(first, given.reason ?? faultText(thrown));
  } finally {
    given.end();
  }
}

/** The first answer that is no redirect. */
async function answered(first: URL, fetch: Fetch, given: GivenUp): Promise<Response> {
  let url = first;
  for (let redirects = 0; ; redirects++) {
    const response = await fetch(url, { redirect: 'manual', signal: given.signal, headers: { accept: '*/*' } });
    given.heard();
    if (response.status === 200) return response;
    await response.body?.cancel();
    const location = REDIRECTS.has(response.status) ? response.headers.get('location') : null;
    if (location === null) throw failed(first, `${url.host} answered ${response.status}`);
    if (redirects === BUNDLE_REDIRECTS_MAX) throw failed(first, `it leads on more than ${BUNDLE_REDIRECTS_MAX} times`);
    const next = URL.canParse(location, url.href) ? new URL(location, url) : null;
    // What a stranger's server names must not reach what only this machine can.
    if (next === null || next.protocol !== first.protocol || isLoopback(next) !== isLoopback(first))
      throw failed(
        first,
        `it leads to ${showable(location.slice(0, 120))}, which is not ${isLoopback(first) ? 'on this machine' : 'https'}`,
      );
    url = next;
  }
}

/** Ends a download that takes too long, or says nothing any more. */
class GivenUp {
  readonly signal: AbortSignal;
  reason: string | null = null;
  readonly #controller = new AbortController();
  readonly #whole: NodeJS.Timeout;
  #silence: NodeJS.Timeout;

  constructor(signal: AbortSignal) {
    this.signal = AbortSignal.any([signal, this.#controller.signal]);
    this.#whole = this.#after(BUNDLE_DOWNLOAD_MS, `it was not here after ${BUNDLE_DOWNLOAD_MS / 60_000} minutes`);
    this.#silence = this.#silent();
  }

  heard(): void {
    clearTimeout(this.#silence);
    this.#silence = this.#silent();
  }

  end(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#whole);
    // Whatever is still on its way is of no use.
    this.#controller.abort();
  }

  #silent(): NodeJS.Timeout {
    return this.#after(BUNDLE_SILENCE_MS, `nothing came for ${BUNDLE_SILENCE_MS / 1000} seconds`);
  }

  #after(ms: number, reason: string): NodeJS.Timeout {
    return setTimeout(() => {
      this.reason = reason;
      this.#controller.abort();
    }, ms);
  }
}

async function copied(from: Readable, target: FileHandle, heard: (bytes: number) => void): Promise<string> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const piece of from as AsyncIterable<Uint8Array>) {
      bytes += piece.length;
      if (bytes > BUNDLE_BYTES_MAX) throw tooLarge();
      heard(bytes);
      hash.update(piece);
      await target.writeFile(piece);
    }
  } finally {
    from.destroy();
  }
  return hash.digest('hex');
}

const SYSTEM_ERROR = /^E[A-Z0-9]+$/;

function faultText(thrown: unknown): string {
  const cause = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown;
  const text = cause instanceof Error ? cause.message : String(cause);
  return showable(errnoOf(cause) === undefined ? text : `${text} (${errnoOf(cause)})`);
}

function failed(url: URL, why: string): McpdError {
  return new McpdError('FETCH_FAILED', {
    what: `the bundle could not be fetched from ${url.host}`,
    why,
    fix: 'check the address, the network and the proxy, or download it yourself: mcpd install ./NAME.mcpb',
  });
}

function tooLarge(): McpdError {
  return new McpdError('BUNDLE_UNSAFE', {
    what: 'the bundle is too large',
    why: `it has more than ${BUNDLE_BYTES_MAX / MIB} MiB`,
    fix: 'ask its publisher for a smaller one, or install the server from elsewhere',
  });
}
