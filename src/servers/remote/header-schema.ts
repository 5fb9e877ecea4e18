/** Which arguments of a tool go into headers, by the annotation `x-mcp-header` in its input schema. Pure. */

import { TOOL_HEADERS_MAX } from '../../http-limits.ts';

export interface HeaderArgument {
  /** Names of the properties that lead to the argument. */
  path: readonly string[];
  /** `Mcp-Param-…` */
  header: string;
}

/**
 * The annotated arguments of a schema, or why its tool must not be offered: one bad annotation makes the whole definition invalid.
 * @see the specification of 2026-07-28, "Streamable HTTP", "Schema Extension"
 */
export function headerArguments(schema: unknown): HeaderArgument[] | { fault: string } {
  const found: HeaderArgument[] = [];
  const fault = visit(schema, [], true, found);
  return fault === null ? found : { fault };
}

// — internal —

const ANNOTATION = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];
/** Members that hold one schema, or several by any name or number. What is no schema (`default`, `enum`, `const`) is not looked into. */
const ONE_OR_LIST = [
  ...['items', 'prefixItems', 'contains', 'additionalProperties', 'unevaluatedProperties', 'unevaluatedItems'],
  ...['propertyNames', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else', 'contentSchema', 'additionalItems'],
];
const BY_NAME = ['patternProperties', 'dependentSchemas', '$defs', 'definitions', 'dependencies'];

function visit(node: unknown, path: readonly string[], reachable: boolean, found: HeaderArgument[]): string | null {
  if (!isRecord(node)) return null;
  if (Object.hasOwn(node, ANNOTATION)) {
    const fault = take(node, path, reachable, found);
    if (fault !== null) return `${path.length === 0 ? 'the schema itself' : path.join('.')}: ${fault}`;
  }
  for (const [name, child] of Object.entries(record(node['properties']))) {
    const fault = visit(child, [...path, name], reachable, found);
    if (fault !== null) return fault;
  }
  const others = [
    ...ONE_OR_LIST.flatMap((key) => node[key] ?? []),
    ...BY_NAME.flatMap((key) => Object.values(record(node[key]))),
  ];
  for (const child of others) {
    const fault = visit(child, path, false, found);
    if (fault !== null) return fault;
  }
  return null;
}

function take(
  node: Record<string, unknown>,
  path: readonly string[],
  reachable: boolean,
  found: HeaderArgument[],
): string | null {
  const name = node[ANNOTATION];
  if (!reachable || path.length === 0) return `${ANNOTATION} stands where no argument is always found`;
  if (typeof name !== 'string' || !TOKEN.test(name)) return `${ANNOTATION} cannot be part of a header's name`;
  if (!TYPES.includes(node['type'])) return `${ANNOTATION} is for texts, whole numbers and booleans only`;
  if (found.length >= TOOL_HEADERS_MAX) return `${ANNOTATION} is given more than ${TOOL_HEADERS_MAX} times`;
  const header = `Mcp-Param-${name}`;
  if (found.some((other) => other.header.toLowerCase() === header.toLowerCase()))
    return `${ANNOTATION} ${name} is given twice`;
  found.push({ path, header });
  return null;
}

function record(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
