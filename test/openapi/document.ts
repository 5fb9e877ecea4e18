import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import ts from 'typescript';
import * as z from 'zod/mini';
import type { Routes } from '../../src/api/contract/routes.ts';
import { judgeWeb } from '../../src/api/guard.ts';
import { McpdError } from '../../src/errors.ts';
import { commentOf, type Known, nameOf, type Schema, TypeSchemas } from './type-schemas.ts';

const ROUTES = 'src/api/contract/routes.ts';

export interface Route {
  /** `GET` */
  method: string;
  /** `/api/servers/{name}` */
  path: string;
}

export interface OpenApi {
  openapi: string;
  /** Operations by path and by method in small letters. */
  paths: Record<string, Record<string, Schema>>;
  components: Schema;
}

/** docs/openapi.json, made of the contract: routes and answers from its types, requests from its schemas. */
export async function openApi(): Promise<OpenApi> {
  const program = ts.createProgram([ROUTES], compilerOptions());
  const checker = program.getTypeChecker();
  const schemas = new TypeSchemas(checker, await requestSchemas(program));
  const paths: OpenApi['paths'] = {};
  for (const member of routeMembers(program)) {
    const { method, path } = routeOf(member);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation(member, schemas, checker) };
  }
  const error = { type: 'object', properties: { error: schemas.of(errorType(program)) }, required: ['error'] };
  const components = Object.fromEntries([...schemas.components].sort(([a], [b]) => (a < b ? -1 : 1)));
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  return {
    openapi: '3.1.0',
    ...{ info: { title: 'mcpd', version, description: ABOUT, license: { name: 'Apache-2.0' } } },
    ...{ servers: [{ url: 'http://127.0.0.1:{port}', variables: { port: { default: '7077' } } }] },
    ...{ security: [{ token: [] }] },
    paths,
    components: {
      ...{ securitySchemes: { token: { type: 'http', scheme: 'bearer', description: TOKEN } } },
      ...{
        responses: { Error: { description: 'What happened, why, and what to try.', ...content(JSON_TYPE, error) } },
      },
      schemas: components,
    },
  };
}

export function documentedRoutes({ paths }: OpenApi): Route[] {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => ({ method: method.toUpperCase(), path })),
  );
}

// — internal —

/** What needs no token. */
const OPEN: ReadonlySet<string> = new Set<keyof Routes>(['GET /healthz', 'POST /api/session']);
const JSON_TYPE = 'application/json';
const LINES_TYPE = 'application/x-ndjson';
const ABOUT =
  'The control interface of the daemon. It listens on 127.0.0.1, where every route but /healthz and /api/session needs the token, and on ' +
  'api.sock in its home, where none does. What x-mcpd-page says false of is answered on the socket only. Times are milliseconds since ' +
  '1970 (UTC), names that end in Ms are durations in milliseconds.';
const TOKEN = 'What the file token in the home holds; a page gets it for the one-time code of `mcpd dashboard`.';

function compilerOptions(): ts.CompilerOptions {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  return ts.parseJsonConfigFileContent({ ...config, include: [], files: [ROUTES] }, ts.sys, '.').options;
}

function sourceOf(program: ts.Program, path: string): ts.SourceFile {
  const source = program.getSourceFile(path);
  if (source === undefined) throw new Error(`${path} is not there`);
  return source;
}

function routeMembers(program: ts.Program): readonly ts.TypeElement[] {
  const found = sourceOf(program, ROUTES).statements.find(
    (statement) => ts.isInterfaceDeclaration(statement) && statement.name.text === 'Routes',
  );
  if (found === undefined || !ts.isInterfaceDeclaration(found)) throw new Error(`${ROUTES} has no Routes`);
  return found.members;
}

function errorType(program: ts.Program): ts.TypeNode {
  for (const statement of sourceOf(program, 'src/api/contract.ts').statements) {
    if (!ts.isInterfaceDeclaration(statement) || statement.name.text !== 'ErrorBody') continue;
    const [member] = statement.members;
    if (member !== undefined && ts.isPropertySignature(member) && member.type !== undefined) return member.type;
  }
  throw new Error('the contract has no ErrorBody');
}

/** The zod schemas of the contract, by the names of their types: what requests are checked by. */
async function requestSchemas(program: ts.Program): Promise<Known> {
  const known = new Map<string, Schema>();
  const files = program.getSourceFiles().filter(({ fileName }) => /src\/api\/contract(\/\w+)?\.ts$/.test(fileName));
  for (const { fileName } of files) {
    const exported = (await import(resolve(fileName))) as Record<string, unknown>;
    for (const [name, value] of Object.entries(exported)) {
      if (!(value instanceof z.core.$ZodType)) continue;
      const { $schema: _, ...schema } = z.toJSONSchema(value, { io: 'input' });
      known.set(name, schema);
    }
  }
  return known;
}

function routeOf(member: ts.TypeElement): Route {
  const [method = '', path = ''] = nameOf(member.name as ts.PropertyName).split(' ');
  return { method, path };
}

/** `request`, `answer`, `lines`, `query`, `path` of a route. */
function partsOf(member: ts.TypeElement): Map<string, ts.TypeNode> {
  if (!ts.isPropertySignature(member) || member.type === undefined || !ts.isTypeLiteralNode(member.type))
    throw new Error(`${member.getText()} is not a route`);
  return new Map(
    member.type.members.flatMap((part) =>
      ts.isPropertySignature(part) && part.type !== undefined ? [[nameOf(part.name), part.type]] : [],
    ),
  );
}

function operation(member: ts.TypeElement, schemas: TypeSchemas, checker: ts.TypeChecker): Schema {
  const { method, path } = routeOf(member);
  const parts = partsOf(member);
  const [request, answer, lines] = ['request', 'answer', 'lines'].map((name) => {
    const type = parts.get(name);
    return type === undefined ? null : schemas.of(type);
  });
  const text = parts.get('text');
  const summary = commentOf(member, checker);
  const parameters = [
    ...pathParameters(path, parts.get('path'), schemas),
    ...queryParameters(parts.get('query'), schemas),
  ];
  const answers = {
    ...(answer ? { [JSON_TYPE]: { schema: answer } } : {}),
    ...(lines ? { [LINES_TYPE]: { schema: lines } } : {}),
    ...(text === undefined ? {} : { [text.getText().slice(1, -1)]: { schema: { type: 'string' } } }),
  };
  return {
    ...(summary === '' ? {} : { summary }),
    ...{ operationId: operationId(method, path), 'x-mcpd-page': isForPages(method, path) },
    ...(OPEN.has(`${method} ${path}`) ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(request ? { requestBody: { required: true, ...content(JSON_TYPE, request) } } : {}),
    responses: {
      200: { description: lines ? 'One JSON value a line, as they come.' : 'Done.', content: answers },
      default: { $ref: '#/components/responses/Error' },
    },
  };
}

function pathParameters(path: string, named: ts.TypeNode | undefined, schemas: TypeSchemas): Schema[] {
  const properties = named === undefined ? {} : propertiesOf(schemas.of(named));
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    ...{ name, in: 'path', required: true },
    schema: properties[name] ?? { type: 'string' },
  }));
}

function queryParameters(query: ts.TypeNode | undefined, schemas: TypeSchemas): Schema[] {
  if (query === undefined) return [];
  const schema = schemas.of(query);
  const { $ref } = schema;
  const object = typeof $ref === 'string' ? (schemas.components.get($ref.split('/').at(-1) ?? '') ?? {}) : schema;
  return Object.entries(propertiesOf(object)).map(([name, one]) => ({ name, in: 'query', schema: one }));
}

function propertiesOf(schema: Schema): Record<string, Schema> {
  return (schema['properties'] ?? {}) as Record<string, Schema>;
}

function content(type: string, schema: Schema): { content: Record<string, { schema: Schema }> } {
  return { content: { [type]: { schema } } };
}

/** `get-servers-name-logs` */
function operationId(method: string, path: string): string {
  return [method.toLowerCase(), ...path.replace(/^\/api/, '').split(/\W+/)].filter((word) => word !== '').join('-');
}

/** The guard's own word, with everything right but the question whether a page may. */
function isForPages(method: string, path: string): boolean {
  const rawHeaders = ['host', '127.0.0.1:7077', 'authorization', 'Bearer x'];
  if (method === 'POST' || method === 'PATCH') rawHeaders.push('content-type', JSON_TYPE);
  const target = path.replace('{command}', 'start').replace('{try}', 't0123456789ab').replace('{question}', 'q1');
  try {
    judgeWeb(
      { method, target: target.replace(/\{\w+\}/g, '1'), rawHeaders, upgrade: false },
      { port: 7077, token: 'x', scrapeToken: null },
    );
    return true;
  } catch (thrown) {
    if (thrown instanceof McpdError && thrown.code === 'FORBIDDEN') return false;
    throw thrown;
  }
}
