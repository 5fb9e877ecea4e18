import { counted } from '../../text.ts';
import type { FieldValue } from './schema-fields.ts';

/**
 * What a schema wants of a text or a list besides its type. Pure. Its `pattern` is not tried: it is the server's, and one made for it
 * keeps a page busy for ever. The server tries it.
 */
export interface FieldBounds {
  /** Characters of a text, or entries of a list. */
  min: number | null;
  max: number | null;
  format: Format | null;
}

/** Those that a server may ask a person for. */
type Format = 'email' | 'uri' | 'date' | 'date-time';

interface FormatRule {
  /** What it is, in words. */
  name: string;
  fits: (text: string) => boolean;
}

const FORMATS: Record<Format, FormatRule> = {
  email: { name: 'an e-mail address', fits: (text) => /^[^\s@]+@[^\s@]+$/.test(text) },
  uri: { name: 'an address with its scheme, as https://…', fits: (text) => URL.canParse(text) },
  date: { name: 'a date, as 2026-01-31', fits: isDate },
  'date-time': { name: 'a time, as 2026-01-31T12:00:00Z', fits: isDateTime },
};

export const UNBOUNDED: FieldBounds = { min: null, max: null, format: null };

export function boundsOf(schema: Record<string, unknown>, of: 'text' | 'list'): FieldBounds {
  const format = schema['format'];
  return {
    min: numberOf(schema[of === 'text' ? 'minLength' : 'minItems']),
    max: numberOf(schema[of === 'text' ? 'maxLength' : 'maxItems']),
    format: of === 'text' && typeof format === 'string' && isFormat(format) ? format : null,
  };
}

/** What is wrong with a value that was given, or null. */
export function boundsFault(value: FieldValue, { min, max, format }: FieldBounds): string | null {
  const unit = typeof value === 'string' ? 'character' : 'value';
  const count = [...value].length;
  if (min !== null && count < min) return `at least ${counted(min, unit)}`;
  if (max !== null && count > max) return `at most ${counted(max, unit)}`;
  if (format !== null && typeof value === 'string' && !FORMATS[format].fits(value))
    return `${FORMATS[format].name} is needed`;
  return null;
}

/** In JSON, the first whole number that a browser reads as another one; null where there is none. Of JSON that can be read. */
export function changedNumber(json: string): { given: string; read: string } | null {
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g)) {
    if (!/^-?\d+$/.test(token)) continue;
    const number = Number(token);
    if (!Number.isFinite(number)) return { given: token, read: 'null' };
    const read = BigInt(number);
    if (read !== BigInt(token)) return { given: token, read: read.toString() };
  }
  return null;
}

// — internal —

function isFormat(text: string): text is Format {
  return Object.hasOwn(FORMATS, text);
}

/** Of the calendar: February has no 30th. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return false;
  const at = Date.parse(`${text}T00:00:00Z`);
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text);
}

function isDateTime(text: string): boolean {
  const [date = '', rest = ''] = text.split(/t/i);
  return isDate(date) && /^\d\d:\d\d:\d\d(\.\d+)?(z|[+-]\d\d:\d\d)$/i.test(rest) && !Number.isNaN(Date.parse(text));
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
