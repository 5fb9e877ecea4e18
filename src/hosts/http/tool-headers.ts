import { TOOL_HEADERS_MAX } from '../../http-limits.ts';
import { jsonString, member, text } from '../../protocol/members.ts';
import { param, type RequestView } from '../../protocol/request-view.ts';
import { decodedValue } from './header-value.ts';
import { headerMismatch, type Problem } from './problem.ts';

/** An argument of a tool that its schema wants mirrored into a header (`x-mcp-header`). */
export interface ToolHeader {
  /** Behind `Mcp-Param-`, as the schema has it. */
  name: string;
  /** The keys that lead to the argument. */
  path: readonly string[];
  type: 'string' | 'integer' | 'boolean';
}

/** The annotations of a tool that are valid; `tool` is its entry in a list, as raw JSON. */
export function headersOfTool(tool: string): ToolHeader[] {
  if (!tool.includes(ANNOTATION)) return [];
  const entry: unknown = JSON.parse(tool);
  const found: ToolHeader[] = [];
  if (isObject(entry)) collect(entry['inputSchema'], [], found);
  return found;
}

/** The headers of a call against its arguments. What the schema does not name is passed over. */
export function toolHeaderFault(
  view: RequestView,
  given: ReadonlyMap<string, string> | null,
  wanted: readonly ToolHeader[],
): Problem | null {
  for (const header of wanted) {
    const fault = faultOf(header, given?.get(header.name.toLowerCase()), argumentAt(view, header.path));
    if (fault !== null) return headerMismatch(`Mcp-Param-${header.name} ${fault}`);
  }
  return null;
}

// — internal —

const ANNOTATION = 'x-mcp-header';
/** What the name of a header is made of (RFC 9110, 5.6.2). */
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const DIGITS = /^-?\d+$/;
const TYPES = ['string', 'integer', 'boolean'] as const;
/** Schemas nest as deep as their writers like; arguments that are mirrored do not. */
const DEPTH_MAX = 16;

function collect(schema: unknown, path: readonly string[], found: ToolHeader[]): void {
  if (!isObject(schema) || !isObject(schema['properties']) || path.length >= DEPTH_MAX) return;
  for (const [key, property] of Object.entries(schema['properties'])) {
    if (found.length >= TOOL_HEADERS_MAX) return;
    if (!isObject(property)) continue;
    const name = property[ANNOTATION];
    const type = TYPES.find((one) => one === property['type']);
    if (typeof name === 'string' && TOKEN.test(name) && type !== undefined)
      found.push({ name, path: [...path, key], type });
    collect(property, [...path, key], found);
  }
}

/** Raw JSON of the argument; null when it is missing, or null itself. */
function argumentAt(view: RequestView, path: readonly string[]): string | null {
  let at = param(view, 'arguments');
  for (const key of path) at = at === null ? null : member(view.bytes, at, key);
  const raw = at === null ? 'null' : text(view.bytes, at);
  return raw === 'null' ? null : raw;
}

function faultOf({ type }: ToolHeader, given: string | undefined, argument: string | null): string | null {
  if (given === undefined) return argument === null ? null : 'is missing, and the argument is there';
  if (argument === null) return 'is there, and the argument is not';
  const value = decodedValue(given);
  if (value === null) return 'is not a valid value';
  return isSame(type, value, argument) ? null : 'differs from the argument';
}

function isSame(type: ToolHeader['type'], value: string, argument: string): boolean {
  const bytes = Buffer.from(argument);
  const string = jsonString(bytes, { start: 0, end: bytes.length });
  if (string !== null) return string === value;
  // As they are written: two that differ may be one number in JavaScript.
  if (type === 'integer' && DIGITS.test(argument) && DIGITS.test(value)) return value === argument;
  if (type === 'integer') return value.trim() !== '' && Number(value) === Number(argument);
  return value === argument;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
