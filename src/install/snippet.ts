import type { HttpTransport } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { secretReference } from '../secret-references.ts';
import { isConfidential } from '../secret-shape.ts';
import { JsonFault, parseJsonc, placeOf } from './snippet/jsonc.ts';
import { type Program, programName, programOf, wordsOf } from './snippet/program.ts';
import { type WrittenServer, writtenServers } from './snippet/shapes.ts';
import { type Asked, answered, askable, filled, Questions, type SnippetValue } from './snippet/values.ts';

/**
 * Servers as hosts have them configured, and as READMEs print them for pasting: read once, for `mcpd install` of a snippet and for whoever
 * takes over what a host has. Pure; nothing is looked up, and nothing of the text is trusted.
 */

export interface Snippet {
  servers: SnippetServer[];
  /** Entries that cannot be taken, each with its place in the text. */
  unread: { name: string; error: McpdError }[];
}

export interface SnippetServer {
  /** As written; null where the text has none and the way tells none. */
  name: string | null;
  /** Counts from 1. */
  line: number;
  column: number;
  way: SnippetWay;
  /** To be asked for before it can be installed. */
  asked: Asked[];
  /** The host does not use it. */
  disabled: boolean;
  warnings: string[];
}

export type SnippetWay =
  /** `spec` as after `mcpd install`: `npm:PKG@1.2.3`. */
  | { kind: 'package'; spec: string; args: SnippetValue[]; env: Map<string, SnippetValue> }
  | { kind: 'address'; url: string; transport: HttpTransport; headers: Map<string, SnippetValue> }
  | { kind: 'command'; command: string; args: SnippetValue[]; env: Map<string, SnippetValue>; cwd: string | null };

/** Values as the daemon takes them, by name. */
export type Given = Record<string, { value: string; secret: boolean }>;

/** A configuration is a page or two; a longer text is something else. */
export const SNIPPET_LENGTH_MAX = 1024 * 1024;

/** Whether a text is a snippet and no other way to name a server. */
export function isSnippet(text: string): boolean {
  return /^\s*(\{|\[|"[^"\n]*"\s*:|```|\/[/*])/.test(text);
}

/**
 * `where` names the text in errors: a file, or `the snippet`.
 * @throws McpdError CONFIG_INVALID with line and column when there is no server in it
 */
export function readSnippet(text: string, where: string): Snippet {
  if (text.length > SNIPPET_LENGTH_MAX)
    throw invalid(where, `it is longer than ${SNIPPET_LENGTH_MAX} characters, and configurations are not`);
  const json = bareJson(text);
  try {
    const written = writtenServers(parseJsonc(json.text));
    const snippet: Snippet = { servers: [], unread: [] };
    for (const { name, fault } of written.faults)
      snippet.unread.push({ name: name ?? '', error: faultError(name, fault, json) });
    for (const server of written.servers) {
      const { line, column } = placeOf(json.text, server.at);
      const questions = new Questions(written.inputs);
      const read = wayOf(server, questions);
      if (isOwnEntry(server)) snippet.unread.push({ name: server.name ?? '', error: ownEntry(server.name) });
      else
        snippet.servers.push({
          name: server.name,
          ...{ line, column: line === 1 ? column - json.added : column },
          way: read.way,
          asked: [...questions.asked.values()],
          disabled: server.disabled,
          warnings: [...read.warnings, ...questions.warnings],
        });
    }
    return snippet;
  } catch (fault) {
    if (!(fault instanceof JsonFault)) throw fault;
    throw invalid(where, shownFault(fault, json));
  }
}

/** What the values come to. A secret in the arguments is kept apart, and a reference stands in its place. */
export function snippetValues(
  way: SnippetWay,
  answers: ReadonlyMap<string, string>,
): { args: string[]; env: Given; headers: Given } {
  if (way.kind === 'address') return { args: [], env: {}, headers: givenOf(way.headers, answers) };
  const env = givenOf(way.env, answers);
  const args = way.args.map((value, at) => {
    const text = filled(value, answers);
    if (!value.secret) return text;
    const [, flag = null, rest = text] = /^(--?[\w-]+=)(.*)$/s.exec(text) ?? [];
    const name = freeName(askable(flag?.slice(0, -1) ?? wordBefore(way.args, at, answers)), rest, env);
    env[name] = { value: rest, secret: true };
    return `${flag ?? ''}${secretReference(name)}`;
  });
  return { args, env, headers: {} };
}

// — internal —

/** Without the fence of a README; a lone `"name": {…}` gets the braces that were not copied. Places stay. */
function bareJson(text: string): { text: string; added: number } {
  const blank = (part: string) => part.replace(/[^\n]/g, ' ');
  const open = text.replace(/^\s*```[^\n]*/, blank).replace(/```\s*$/, blank);
  if (!/^\s*"[^"\n]*"\s*:/.test(open)) return { text: open, added: 0 };
  return { text: `{${open}}`, added: 1 };
}

function wayOf(server: WrittenServer, questions: Questions): { way: SnippetWay; warnings: string[] } {
  const warnings =
    server.unused.length === 0 ? [] : [`mcpd makes no use of ${server.unused.slice(0, UNUSED_SHOWN).join(', ')}`];
  const values = (map: ReadonlyMap<string, string>) =>
    new Map([...map].map(([name, text]) => [name, questions.read(name, text)]));
  if (server.url !== null) {
    const { url, transport } = server;
    return { way: { kind: 'address', url, transport, headers: values(server.headers) }, warnings };
  }
  const words = server.words.length === 1 ? wordsOf(server.words[0] ?? '') : server.words;
  const program = programOf(words, server.env);
  if (program.kind === 'address') {
    const { url, transport } = program;
    return {
      way: { kind: 'address', url, transport, headers: values(new Map(Object.entries(program.headers))) },
      warnings,
    };
  }
  if (program.kind === 'package' && server.cwd === null) {
    // What a container gets is told by its flags alone.
    const outside = program.spec.startsWith('oci:') ? [] : server.env;
    const env = values(new Map([...outside, ...Object.entries(program.env)]));
    return {
      way: { kind: 'package', spec: program.spec, args: argumentValues(program.args, questions), env },
      warnings,
    };
  }
  const { command, args, env, floats } = program.kind === 'command' ? program : asWritten(words);
  if (floats !== null) warnings.push(`it is started as written, and looked up anew at each start: ${floats}`);
  const all = values(new Map([...server.env, ...Object.entries(env)]));
  return {
    way: { kind: 'command', command, args: argumentValues(args, questions), env: all, cwd: server.cwd },
    warnings,
  };
}

function asWritten([command = '', ...args]: readonly string[]): Extract<Program, { kind: 'command' }> {
  return { kind: 'command', command, args, env: {}, floats: 'it names a folder to run in' };
}

/** A flag says what the word behind it is. */
function argumentValues(args: readonly string[], questions: Questions): SnippetValue[] {
  return args.map((text, at) => {
    const [, own, value] = /^(--?[\w-]+)=(.*)$/s.exec(text) ?? [];
    const before = args[at - 1] ?? '';
    const name = own ?? (/^--?[A-Za-z]/.test(before) ? before : `argument_${at + 1}`);
    if (value === undefined) return argumentValue(name, text, questions);
    const read = argumentValue(name, value, questions);
    return { ...read, parts: [`${own}=`, ...read.parts] };
  });
}

/** An argument is a secret by the name of its flag, or where it cannot be anything else: long words with digits are often names. */
function argumentValue(name: string, text: string, questions: Questions): SnippetValue {
  if (text === '' || text.startsWith('-')) return { parts: [text], secret: false };
  const read = questions.read(askable(name), text);
  const known = isConfidential(askable(name), '') || USER_INFO.test(text) || TOKEN.test(text);
  return { ...read, secret: known || (read.secret && read.parts.some((part) => typeof part !== 'string')) };
}

function givenOf(values: ReadonlyMap<string, SnippetValue>, answers: ReadonlyMap<string, string>): Given {
  const given = new Map<string, Given[string]>();
  for (const [name, each] of values) {
    const value = answered(each, answers);
    if (value !== null) given.set(name, { value, secret: each.secret });
  }
  return Object.fromEntries(given);
}

/** The flag that the argument belongs to. */
function wordBefore(args: readonly SnippetValue[], at: number, answers: ReadonlyMap<string, string>): string {
  const before = args[at - 1];
  const word = before === undefined ? '' : filled(before, answers);
  return word.startsWith('-') ? word : `argument_${at + 1}`;
}

function freeName(name: string, value: string, taken: Given): string {
  const upper = name.toUpperCase();
  for (let number = 1; ; number++) {
    const free = number === 1 ? upper : `${upper}_${number}`;
    if (taken[free] === undefined || taken[free].value === value) return free;
  }
}

/** mcpd would start itself, and show all its tools twice. */
function isOwnEntry({ words }: WrittenServer): boolean {
  const programs = words.slice(0, 2).map(programName);
  return programs.some((name) => name === 'mcpd' || name === 'mcpd.js') && words.includes('stdio');
}

function ownEntry(name: string | null): McpdError {
  return new McpdError('CONFIG_INVALID', {
    what: `the entry ${name ?? ''} is mcpd itself`,
    why: 'a host reaches all servers through it; it cannot be one of them',
  });
}

type Json = ReturnType<typeof bareJson>;

function shownFault(fault: JsonFault, { text, added }: Json): string {
  const { line, column } = placeOf(text, fault.at);
  return `line ${line}, column ${line === 1 ? column - added : column}: ${fault.message}`;
}

function faultError(name: string | null, fault: JsonFault, json: Json): McpdError {
  return new McpdError('CONFIG_INVALID', {
    what: `the entry ${(name ?? '').slice(0, 60)} will not do`,
    why: shownFault(fault, json),
    fix: 'repair that place',
  });
}

function invalid(where: string, why: string): McpdError {
  return new McpdError('CONFIG_INVALID', {
    what: `${where} cannot be read`,
    why,
    fix: 'repair that place; nothing was installed',
  });
}

/** Unknown members that a warning names. */
const UNUSED_SHOWN = 5;
const USER_INFO = /^[a-z][a-z0-9+.-]*:\/\/[^/\s]*:[^/\s]*@/i;
/** Tokens that say by their beginning whose they are. */
const TOKEN =
  /^(sk|pk|rk|ghp|gho|ghs|ghu|github_pat|glpat|xox[abpcd]|ntn|secret|lin_api|fc|figd|hf|AIza|AKIA|tvly|npm|dop_v1)[-_]?[A-Za-z0-9_-]{12,}$/;
