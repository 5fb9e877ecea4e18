import type { Edit } from './bytes.ts';
import type { Span } from './frame.ts';
import type { Way } from './host-results.ts';
import { INTERNAL_ERROR, INVALID_PARAMS, MISSING_CAPABILITY } from './jsonrpc.ts';
import { elements, jsonString, member, members, text } from './members.ts';
import { errorCodeOf } from './results.ts';
import { featuresOf } from './revisions.ts';

/**
 * Errors of servers whose codes the host's revision does not have (protocol tables, "error code translation"): the code becomes one that it
 * knows, and what the code alone said is said in the message. `data` passes as it came.
 */
export function errorEdits(bytes: Uint8Array, error: Span, { hostEra, hostRevision }: Omit<Way, 'serverEra'>): Edit[] {
  const code = errorCodeOf(bytes, error);
  const place = code === null ? null : member(bytes, error, 'code');
  if (code === null || place === null) return [];
  const isKnown = code === URL_ELICITATION_REQUIRED && featuresOf(hostRevision).urlElicitationError;
  const translated = isKnown ? undefined : TRANSLATED[hostEra].get(code);
  if (translated === undefined) return [];
  const more = wordsFor(code, bytes, error);
  const message = more === '' ? null : member(bytes, error, 'message');
  const said = message === null ? null : jsonString(bytes, message);
  const edits: Edit[] = [{ start: place.start, end: place.end, with: String(translated) }];
  if (message !== null && said !== null)
    edits.push({ start: message.start, end: message.end, with: JSON.stringify(`${said}${more}`) });
  return edits;
}

// — internal —

const RESOURCE_NOT_FOUND = -32_002;
const HEADER_MISMATCH = -32_020;
const UNSUPPORTED_REVISION = -32_022;
const URL_ELICITATION_REQUIRED = -32_042;

const TRANSLATED = {
  modern: new Map([
    [RESOURCE_NOT_FOUND, INVALID_PARAMS],
    [URL_ELICITATION_REQUIRED, INTERNAL_ERROR],
    [HEADER_MISMATCH, INTERNAL_ERROR],
    [UNSUPPORTED_REVISION, INTERNAL_ERROR],
  ]),
  legacy: new Map([
    [URL_ELICITATION_REQUIRED, INTERNAL_ERROR],
    [HEADER_MISMATCH, INTERNAL_ERROR],
    [MISSING_CAPABILITY, INTERNAL_ERROR],
    [UNSUPPORTED_REVISION, INTERNAL_ERROR],
  ]),
};

/** More addresses, or capabilities, than this are nothing to read in a message; `data` has them. */
const NAMED_MAX = 5;

/** What is added to the message; empty when the code said no more than the message does. */
function wordsFor(code: number, bytes: Uint8Array, error: Span): string {
  const data = member(bytes, error, 'data');
  if (data === null) return '';
  const named = code === URL_ELICITATION_REQUIRED ? addressesIn(bytes, data) : capabilitiesIn(bytes, data);
  const list = named.slice(0, NAMED_MAX).join(', ');
  if (list === '') return '';
  if (code === URL_ELICITATION_REQUIRED) return `; open this address, then try again: ${list}`;
  return code === MISSING_CAPABILITY ? `; the server needs a host with the capability ${list}` : '';
}

function addressesIn(bytes: Uint8Array, data: Span): string[] {
  const list = member(bytes, data, 'elicitations');
  if (list === null) return [];
  return elements(bytes, list, NAMED_MAX).flatMap((one) => {
    const url = member(bytes, one, 'url');
    return url === null ? [] : (jsonString(bytes, url) ?? []);
  });
}

/** `elicitation.url` for `{"elicitation":{"url":{}}}`, `sampling` for `{"sampling":{}}`. */
function capabilitiesIn(bytes: Uint8Array, data: Span): string[] {
  const required = member(bytes, data, 'requiredCapabilities');
  if (required === null) return [];
  return members(bytes, required).flatMap((capability) => {
    const parts = text(bytes, capability).startsWith('{') ? members(bytes, capability) : [];
    return parts.length === 0 ? [capability.key] : parts.map(({ key }) => `${capability.key}.${key}`);
  });
}
