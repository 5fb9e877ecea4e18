import type { Context } from 'hono';
import * as z from 'zod/mini';
import { McpdError } from '../errors.ts';
import { API_BODY_BYTES_MAX } from '../operation-limits.ts';
import { bodyOf, encoded } from './answer.ts';
import type { ApiEnv } from './app.ts';

export function json(c: Context<ApiEnv>, value: unknown): Response {
  return c.body(encoded(value, c.env.listener), 200, { 'content-type': 'application/json; charset=utf-8' });
}

/**
 * The body, checked. An empty one counts as `{}`.
 * @throws {McpdError} REQUEST_INVALID naming what does not fit
 */
export async function bodyAs<T extends z.ZodMiniType>(
  c: Context<ApiEnv>,
  schema: T,
  bytesMax = API_BODY_BYTES_MAX,
): Promise<z.infer<T>> {
  const bytes = await bodyOf(c.env.incoming, bytesMax);
  return checked(schema, parse(bytes), 'the body');
}

/**
 * The query, checked. Parameters that are empty count as absent, those named in `numbers` are numbers, and unknown ones are passed over.
 * @throws {McpdError} REQUEST_INVALID naming what does not fit
 */
export function queryAs<T extends z.ZodMiniType>(
  c: Context<ApiEnv>,
  schema: T,
  numbers: readonly string[],
): z.infer<T> {
  const given = Object.entries(c.req.query()).filter(([, text]) => text !== '');
  const values = given.map(([name, text]) => [name, numbers.includes(name) ? numberOf(text) : text] as const);
  return checked(schema, Object.fromEntries(values), 'the query');
}

/**
 * The `:name` of a route. Whether there is such a server is the daemon's to say; what cannot be a name goes no further.
 * @throws {McpdError} SERVER_UNKNOWN
 */
export function nameOf(c: Context<ApiEnv>): string {
  const name = c.req.param('name') ?? '';
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  throw new McpdError('SERVER_UNKNOWN', { what: 'there is no such server', fix: 'mcpd list' });
}

/** @throws {McpdError} REQUEST_INVALID when the query parameter is no whole number in the range */
export function wholeNumber(c: Context<ApiEnv>, name: string, range: { min: number; max: number }): number | null {
  const text = c.req.query(name);
  if (text === undefined || text === '') return null;
  const value = Number(text);
  if (/^\d{1,16}$/.test(text) && value >= range.min && value <= range.max) return value;
  throw new McpdError('REQUEST_INVALID', {
    what: `${name} must be a whole number from ${range.min} to ${range.max}`,
  });
}

export function flag(c: Context<ApiEnv>, name: string): boolean {
  return c.req.query(name) === '1';
}

// — internal —

/** Refuses bytes that are not UTF-8 instead of replacing them. */
const UTF8 = new TextDecoder('utf-8', { fatal: true });

function checked<T extends z.ZodMiniType>(schema: T, value: unknown, whole: string): z.infer<T> {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  throw new McpdError('REQUEST_INVALID', {
    what: 'the request does not fit',
    why: parsed.error.issues.map((issue) => described(issue, whole)).join('; '),
  });
}

/** What is no decimal number stays a text, which fits no number of a schema. */
function numberOf(text: string): number | string {
  return /^\d{1,16}(\.\d{1,6})?$/.test(text) ? Number(text) : text;
}

function parse(bytes: Buffer): unknown {
  if (bytes.length === 0) return {};
  try {
    return JSON.parse(UTF8.decode(bytes));
  } catch (thrown) {
    throw new McpdError('REQUEST_INVALID', {
      what: 'the request is not JSON',
      why: thrown instanceof Error ? thrown.message : String(thrown),
    });
  }
}

function described(issue: z.core.$ZodIssue, whole: string): string {
  const where = issue.path.length === 0 ? whole : issue.path.map(String).join('.');
  if (issue.code === 'invalid_type') return `${where} must be ${issue.expected}`;
  if (issue.code === 'invalid_value') return `${where} must be one of ${issue.values.map(String).join(', ')}`;
  return `${where} is not valid (${issue.code})`;
}
