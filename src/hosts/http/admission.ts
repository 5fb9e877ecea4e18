import type { Head } from './head.ts';
import { badRequest, forbidden, notAcceptable, type Problem, unauthorized, unsupportedType } from './problem.ts';

/**
 * Who comes in at all. Every web page that the user visits can send requests to 127.0.0.1, so the address, the page and the token are
 * looked at before anything else, and before the body is read. Pure.
 */

/** Host and Origin: a name that an attacker points at 127.0.0.1 (DNS rebinding) is not ours, nor is a page that is not of this machine. */
export function strangeness(head: Head, port: number): Problem | null {
  const { host, origin } = head;
  if (host === null || !isOurAddress(host, port)) return forbidden('this is not the address of mcpd');
  if (head.repeated !== null) return badRequest(`the header ${head.repeated} is there twice`);
  if (origin !== null && !isOfThisMachine(origin)) return forbidden('another web page asked for this');
  return null;
}

/** The client whose token the request brings, or why it has none. `ownerOf` knows whose token it is. */
export function clientOf(head: Head, ownerOf: (token: string) => string | null): string | Problem {
  if (head.authorization === null) return unauthorized('this needs a token: Authorization: Bearer TOKEN');
  const token = BEARER.exec(head.authorization)?.[1];
  const owner = token === undefined ? null : ownerOf(token);
  return owner ?? unauthorized('this token is not known');
}

/** How an answer may look: one JSON object, a stream of events, or whichever suits. */
export type Form = 'json' | 'stream' | 'either';

/** What the client can read, and what it would rather: a stream if it names that first. Missing, or anything: a person with curl, who wants JSON. */
export function formOf(accept: string | null): Form | null {
  if (accept === BOTH_USUAL) return 'either';
  if (accept === null || accept === '') return 'json';
  const types = accept.split(',').flatMap(allowedType);
  const stream = types.some((type) => type === 'text/event-stream' || type === 'text/*');
  const json = types.some((type) => type === 'application/json' || type === 'application/*' || type === '*/*');
  if (!stream) return json ? 'json' : null;
  return json && !STREAM_FIRST.test(accept) ? 'either' : 'stream';
}

/** Whether a stream can be read, where nothing else will do. */
export function readsStreams(accept: string | null): boolean {
  const form = formOf(accept);
  return form === 'either' || form === 'stream' || accept === null || accept.includes('*/*');
}

/** A message comes as JSON, as it is, to somebody who can read an answer. */
export function formFault(head: Head): Problem | null {
  const { contentType, contentEncoding } = head;
  if (contentType !== 'application/json' && !JSON_TYPE.test(contentType ?? ''))
    return unsupportedType('a message needs the header Content-Type: application/json');
  if (contentEncoding !== null && contentEncoding.toLowerCase() !== 'identity')
    return unsupportedType('a message must not be compressed');
  return formOf(head.accept) === null ? notAcceptable('application/json or text/event-stream') : null;
}

// — internal —

const NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];
const LOOPBACK = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
const BEARER = /^Bearer +([^\s]+)$/i;
const JSON_TYPE = /^application\/json\s*(?:;.*)?$/i;
const STREAM_FIRST = /^\s*text\/event-stream\s*,/i;
/** What the SDKs send. */
const BOTH_USUAL = 'application/json, text/event-stream';

function isOurAddress(host: string, port: number): boolean {
  const colon = host.lastIndexOf(':');
  return host.slice(colon + 1) === String(port) && NAMES.includes(host.slice(0, colon));
}

/** A page that is served from this machine; `null` (a sandbox, a file) is not. */
function isOfThisMachine(origin: string): boolean {
  return LOOPBACK.test(origin);
}

/** The type of one part of an Accept header, unless it is ruled out by `q=0`. */
function allowedType(part: string): string[] {
  const [type = '', ...parameters] = part.split(';').map((piece) => piece.trim().toLowerCase());
  return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? [] : [type];
}
