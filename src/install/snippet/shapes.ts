import type { HttpTransport } from '../../core/model.ts';
import { JsonFault, type JsonNode, memberOf } from './jsonc.ts';

/** Where hosts keep their servers, and what each calls the same thing. Pure; nothing of a value is interpreted here. */

/** One server as a host has it written. */
export interface WrittenServer {
  /** Null for a server that stands alone. */
  name: string | null;
  at: number;
  /** The program and its arguments; empty for a remote server. */
  words: string[];
  env: Map<string, string>;
  cwd: string | null;
  url: string | null;
  transport: HttpTransport;
  headers: Map<string, string>;
  disabled: boolean;
  /** Members that mean nothing here. */
  unused: string[];
}

/** What a configuration asks a person for, by the id that `${input:ID}` names. */
export interface WrittenInput {
  description: string;
  secret: boolean;
  default: string | null;
  choices: string[] | null;
}

export interface Written {
  servers: WrittenServer[];
  /** Entries that will not do; the others count all the same. */
  faults: { name: string | null; fault: JsonFault }[];
  inputs: Map<string, WrittenInput>;
}

/** @throws JsonFault when there is no server in it at all */
export function writtenServers(root: JsonNode): Written {
  const written: Written = { servers: [], faults: [], inputs: inputsIn(root) };
  for (const { name, node } of entriesIn(root)) {
    try {
      written.servers.push(serverOf(name, node));
    } catch (fault) {
      if (!(fault instanceof JsonFault)) throw fault;
      written.faults.push({ name, fault });
    }
  }
  return written;
}

// — internal —

/** Where the servers are, as paths of members; the first that is there counts. */
const PLACES: readonly (readonly string[])[] = [
  ['mcpServers'],
  ['servers'],
  ['context_servers'],
  ['mcp', 'servers'],
  ['mcp_servers'],
  ['amp.mcpServers'],
  ['extensions'],
  ['mcp'],
];

/** The same member by its names in different hosts, the usual one first. */
const NAMES = {
  command: ['command', 'cmd'],
  args: ['args', 'arguments'],
  env: ['env', 'envs', 'environment'],
  cwd: ['cwd', 'working_directory', 'workingDirectory'],
  url: ['url', 'serverUrl', 'httpUrl', 'uri'],
  headers: ['headers', 'http_headers'],
  type: ['type', 'transport', 'transportType'],
} as const;

const KNOWN: ReadonlySet<string> = new Set([...Object.values(NAMES).flat(), 'name', 'disabled', 'enabled', 'source']);

const TRANSPORTS: Record<string, HttpTransport> = {
  http: 'auto',
  remote: 'auto',
  'streamable-http': 'streamable-http',
  streamablehttp: 'streamable-http',
  streamable_http: 'streamable-http',
  sse: 'sse',
};

function entriesIn(root: JsonNode): { name: string | null; node: JsonNode }[] {
  if (root.kind !== 'object') throw new JsonFault(root.at, 'an object with servers in it should be here');
  if (isServer(root)) return [{ name: textOf(memberOf(root, 'name')), node: root }];
  for (const path of PLACES) {
    const node = path.reduce<JsonNode | undefined>((at, name) => at && memberOf(at, name), root);
    // A server may itself be called `mcp` or `servers`.
    if (node !== undefined && !isServer(node)) return listOf(node);
  }
  const entries = listOf(root);
  if (entries.some(({ node }) => isServer(node))) return entries;
  throw new JsonFault(
    root.at,
    'there is no server in it: neither "mcpServers" nor "servers", nor one with "command" or "url"',
  );
}

/** A map by name, or a list of entries with names. */
function listOf(node: JsonNode): { name: string | null; node: JsonNode }[] {
  if (node.kind === 'object') {
    const names = new Map(node.members.map(({ name, value }) => [name, value]));
    return [...names].map(([name, value]) => ({ name, node: value }));
  }
  if (node.kind === 'array') return node.items.map((item) => ({ name: textOf(memberOf(item, 'name')), node: item }));
  throw new JsonFault(node.at, 'servers by their names should be here');
}

function isServer(node: JsonNode): boolean {
  const [command, url] = [first(node, NAMES.command), first(node, NAMES.url)];
  return (
    url?.kind === 'string' ||
    (command !== undefined && (command.kind !== 'object' || memberOf(command, 'path') !== undefined))
  );
}

function serverOf(name: string | null, node: JsonNode): WrittenServer {
  if (node.kind !== 'object') throw new JsonFault(node.at, 'a server is an object');
  const url = optionalText(first(node, NAMES.url), 'the address');
  const type = optionalText(first(node, NAMES.type), 'the kind of transport');
  // Some hosts once wrote the program as an object with its arguments inside.
  const command = first(node, NAMES.command);
  const holder = command?.kind === 'object' ? command : node;
  const program = command?.kind === 'object' ? memberOf(command, 'path') : command;
  const words = [...textsOf(program, 'the command'), ...textsOf(first(holder, NAMES.args), 'the arguments')];
  if (program === undefined && url === null) throw new JsonFault(node.at, 'it has neither "command" nor "url"');
  if (program !== undefined && url !== null) throw new JsonFault(node.at, 'it has both "command" and "url"');
  if (program !== undefined && (words[0] ?? '').trim() === '') throw new JsonFault(program.at, 'the command is empty');
  const transport = url === null ? 'auto' : TRANSPORTS[(type ?? 'http').toLowerCase()];
  if (transport === undefined)
    throw new JsonFault(
      first(node, NAMES.type)?.at ?? node.at,
      'a remote server is of the type "http", "streamable-http" or "sse"',
    );
  return {
    name,
    at: node.at,
    words,
    env: mapOf(first(holder, NAMES.env) ?? first(node, NAMES.env), 'the variables'),
    cwd: optionalText(first(node, NAMES.cwd), 'the folder'),
    url,
    transport: memberOf(node, 'httpUrl') === undefined ? transport : 'streamable-http',
    headers: mapOf(first(node, NAMES.headers), 'the headers'),
    disabled: flagOf(memberOf(node, 'disabled')) ?? flagOf(memberOf(node, 'enabled')) === false,
    unused: node.members.map((member) => member.name).filter((member) => !KNOWN.has(member)),
  };
}

function inputsIn(root: JsonNode): Map<string, WrittenInput> {
  const node = memberOf(root, 'inputs') ?? memberOf(memberOf(root, 'mcp') ?? root, 'inputs');
  const inputs = new Map<string, WrittenInput>();
  for (const item of node?.kind === 'array' ? node.items : []) {
    const id = textOf(memberOf(item, 'id'));
    if (id === null) continue;
    const options = memberOf(item, 'options');
    const choices = options?.kind === 'array' ? options.items.map(textOf).filter((text) => text !== null) : [];
    inputs.set(id, {
      description: textOf(memberOf(item, 'description')) ?? '',
      secret: flagOf(memberOf(item, 'password')) ?? false,
      default: textOf(memberOf(item, 'default')),
      choices: choices.length === 0 ? null : choices,
    });
  }
  return inputs;
}

function first(node: JsonNode, names: readonly string[]): JsonNode | undefined {
  return names.map((name) => memberOf(node, name)).find((member) => member !== undefined && member.kind !== 'null');
}

function textOf(node: JsonNode | undefined): string | null {
  return node?.kind === 'string' ? node.value : null;
}

function flagOf(node: JsonNode | undefined): boolean | null {
  return node?.kind === 'boolean' ? node.value : null;
}

function optionalText(node: JsonNode | undefined, what: string): string | null {
  if (node === undefined) return null;
  if (node.kind !== 'string') throw new JsonFault(node.at, `${what} should be a text`);
  return node.value;
}

/** A text, or a list of texts; numbers and flags count as they are written. */
function textsOf(node: JsonNode | undefined, what: string): string[] {
  if (node === undefined) return [];
  if (node.kind === 'array') return node.items.map((item) => scalarOf(item, `each of ${what}`));
  return [scalarOf(node, what)];
}

function mapOf(node: JsonNode | undefined, what: string): Map<string, string> {
  if (node === undefined) return new Map();
  if (node.kind !== 'object') throw new JsonFault(node.at, `${what} should be texts by their names`);
  return new Map(node.members.map(({ name, value }) => [name, scalarOf(value, `each of ${what}`)]));
}

function scalarOf(node: JsonNode, what: string): string {
  if (node.kind === 'object' || node.kind === 'array' || node.kind === 'null')
    throw new JsonFault(node.at, `${what} should be a text`);
  return String(node.value);
}
