/**
 * What a command line of a host's configuration installs: most of them fetch a package and start it (`npx -y PKG`, `uvx PKG`,
 * `docker run -i --rm IMAGE`), which mcpd does once and pinned instead of at every start. Pure.
 */

export type Program =
  /** `spec` as after `mcpd install`. */
  | { kind: 'package'; spec: string; args: string[]; env: Record<string, string> }
  /** A program whose only purpose is to reach a remote server. Header values as written. */
  | { kind: 'address'; url: string; transport: 'auto' | 'streamable-http' | 'sse'; headers: Record<string, string> }
  /** To be started as it stands. `floats`: why it may be another version at each start; null where nothing is fetched. */
  | { kind: 'command'; command: string; args: string[]; env: Record<string, string>; floats: string | null };

/** `env` is what the configuration gives the command. */
export function programOf(words: readonly string[], env: ReadonlyMap<string, string>): Program {
  const { words: bare, env: assigned } = unwrapped(words);
  const read = readRunner(bare, new Map([...env, ...Object.entries(assigned)]));
  if (read === null) return { kind: 'command', ...split(bare), env: assigned, floats: null };
  if (typeof read === 'string') return { kind: 'command', ...split(bare), env: assigned, floats: read };
  return read.kind === 'package' ? { ...read, env: { ...assigned, ...read.env } } : read;
}

/** `C:\Program Files\nodejs\npx.cmd` is `npx`. */
export function programName(command: string): string {
  const file = command.split(/[/\\]/).at(-1) ?? command;
  return file.replace(/\.(exe|cmd|bat|ps1)$/i, '').toLowerCase();
}

/** The words of a command line that was written as one text; quotes hold words together, and nothing else of a shell counts. */
export function wordsOf(line: string): string[] {
  const words = [...line.matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)].map(([word]) =>
    word.replace(/"([^"]*)"|'([^']*)'/g, '$1$2'),
  );
  return words.length === 0 ? [line] : words;
}

// — internal —

/** What a runner comes to: a program, or why it has to run as written. Null: no runner at all. */
type Read = Extract<Program, { kind: 'package' | 'address' }> | string | null;
type Env = ReadonlyMap<string, string>;

/** Without what only starts another program: `cmd /c`, `/usr/bin/env K=V`. */
function unwrapped(words: readonly string[]): { words: string[]; env: Record<string, string> } {
  const [command = '', ...args] = words;
  if (programName(command) === 'cmd') {
    const slash = args.findIndex((word) => word.toLowerCase() === '/c');
    const options = args.slice(0, slash);
    const rest = args.slice(slash + 1);
    if (slash !== -1 && rest.length > 0 && options.every((word) => /^\/[dsq]$/i.test(word)))
      return unwrapped(rest.length === 1 ? wordsOf(rest[0] ?? '') : rest);
  }
  if (programName(command) === 'env') {
    const first = args.findIndex((word) => !/^[A-Za-z_]\w*=/.test(word));
    const program = args[first];
    if (program !== undefined && !program.startsWith('-')) {
      const assigned = args.slice(0, first).map((word): [string, string] => {
        const equals = word.indexOf('=');
        return [word.slice(0, equals), word.slice(equals + 1)];
      });
      const inner = unwrapped(args.slice(first));
      return { words: inner.words, env: { ...Object.fromEntries(assigned), ...inner.env } };
    }
  }
  return { words: [...words], env: {} };
}

function split([command = '', ...args]: readonly string[]): { command: string; args: string[] } {
  return { command, args };
}

function readRunner(words: readonly string[], env: Env): Read {
  const name = programName(words[0] ?? '');
  for (const { runner, read } of RUNNERS) {
    if (runner[0] === name && runner.every((word, i) => i === 0 || words[i] === word))
      return read(words.slice(runner.length), env);
  }
  return null;
}

const RUNNERS: readonly { runner: readonly string[]; read: (args: readonly string[], env: Env) => Read }[] = [
  { runner: ['npx'], read: readNpx },
  { runner: ['bunx'], read: readNpx },
  { runner: ['pnpx'], read: readNpx },
  { runner: ['npm', 'exec'], read: readNpx },
  { runner: ['npm', 'x'], read: readNpx },
  { runner: ['bun', 'x'], read: readNpx },
  { runner: ['pnpm', 'dlx'], read: readNpx },
  { runner: ['yarn', 'dlx'], read: readNpx },
  { runner: ['uvx'], read: readUvx },
  { runner: ['uv', 'tool', 'run'], read: readUvx },
  { runner: ['pipx', 'run'], read: readUvx },
  { runner: ['docker', 'run'], read: readRun },
  { runner: ['docker', 'container', 'run'], read: readRun },
  { runner: ['podman', 'run'], read: readRun },
];

/** Options of a runner, up to the first word that is none. A flag that is not in the tables makes it run as written. */
function optionsOf(
  args: readonly string[],
  ignored: ReadonlySet<string>,
  valued: ReadonlySet<string>,
): { options: [string, string][]; rest: string[] } | string {
  const options: [string, string][] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--') return { options, rest: args.slice(at + 1) };
    if (!word.startsWith('-')) return { options, rest: args.slice(at) };
    const [, flag = word, value] = /^(--[^=]+)=(.*)$/s.exec(word) ?? [];
    if (valued.has(flag)) {
      const given = value ?? args[++at];
      if (given === undefined) return `${flag} has no value`;
      options.push([flag, given]);
    } else if (value !== undefined || !ignored.has(flag)) return `mcpd has no word for ${flag}`;
  }
  return { options, rest: [] };
}

const NPX_IGNORED = new Set([
  '-y',
  '--yes',
  '-q',
  '--quiet',
  '-s',
  '--silent',
  '--prefer-offline',
  '--prefer-online',
  '--bun',
  '--ignore-scripts',
]);
const NPX_VALUED = new Set(['-p', '--package']);
const NPM_PACKAGE =
  /^((?:@[a-z0-9~][a-z0-9._~-]*\/)?([a-z0-9~][a-z0-9._~-]*))(?:@([0-9a-z^~<>=*][0-9a-z.+^~<>=|* -]*))?$/i;

function readNpx(args: readonly string[], env: Env): Read {
  const read = optionsOf(args, NPX_IGNORED, NPX_VALUED);
  if (typeof read === 'string') return read;
  const packages = read.options.map(([, value]) => value);
  if (packages.length > 1) return 'it needs several packages';
  const [first = '', ...others] = read.rest;
  const named = packages[0] ?? first;
  const [, identifier, unscoped, version] = NPM_PACKAGE.exec(named) ?? [];
  if (identifier === undefined) return named === '' ? 'it names no package' : 'it is no package of the npm registry';
  if (packages[0] !== undefined && first !== '' && first !== unscoped)
    return `it starts the program ${first} of the package ${identifier}`;
  const bridged = BRIDGES[identifier]?.(others, env) ?? null;
  if (bridged !== null) return bridged;
  return {
    kind: 'package',
    spec: `npm:${identifier}${version === undefined ? '' : `@${version}`}`,
    args: others,
    env: {},
  };
}

/** Programs that only make a remote server look local: mcpd reaches it itself. Null: not used as such. */
const BRIDGES: Record<string, (args: readonly string[], env: Env) => Read> = {
  'mcp-remote': readMcpRemote,
  supergateway: readSupergateway,
};

const TRANSPORTS: Record<string, 'auto' | 'streamable-http' | 'sse'> = {
  'http-first': 'auto',
  'sse-first': 'auto',
  'http-only': 'streamable-http',
  'sse-only': 'sse',
};

function readMcpRemote(args: readonly string[], env: Env): Read {
  const [url = '', ...rest] = args;
  if (!/^https?:\/\//i.test(url)) return null;
  const headers: Record<string, string> = {};
  let transport: 'auto' | 'streamable-http' | 'sse' = 'auto';
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at] ?? '';
    const value = rest[at + 1];
    if (word === '--header' && value !== undefined) {
      const [, name, text] = /^([^:\s]+)\s*:\s*(.*)$/s.exec(value) ?? [];
      if (name === undefined || text === undefined) return 'one of its headers cannot be read';
      headers[name] = withVariables(text, env);
      at += 1;
    } else if (word === '--transport' && value !== undefined) {
      transport = TRANSPORTS[value] ?? 'auto';
      at += 1;
    } else if (VALUED_OF_MCP_REMOTE.has(word) && value !== undefined) at += 1;
    // A port for its log-in, or a flag of its own process: mcpd logs in by itself.
    else if (!/^\d+$/.test(word) && !FLAGS_OF_MCP_REMOTE.has(word)) return `mcpd has no word for ${word} of mcp-remote`;
  }
  return { kind: 'address', url, transport, headers };
}

const FLAGS_OF_MCP_REMOTE = new Set(['--allow-http', '--debug', '--silent', '--enable-proxy']);
const VALUED_OF_MCP_REMOTE = new Set(['--host', '--auth-timeout']);

function readSupergateway(args: readonly string[]): Read {
  const [flag = '', url = '', ...rest] = args;
  const transport = flag === '--sse' ? 'sse' : flag === '--streamableHttp' ? 'streamable-http' : null;
  if (transport === null || !/^https?:\/\//i.test(url)) return null;
  return rest.length > 0
    ? `mcpd has no word for ${rest[0]} of supergateway`
    : { kind: 'address', url, transport, headers: {} };
}

/** mcp-remote fills `${NAME}` in a header from the environment that it gets. What is not in there stays. */
function withVariables(text: string, env: Env): string {
  return text.replace(/\$\{([A-Za-z_]\w*)\}/g, (whole, name: string) => env.get(name) ?? whole);
}

const UVX_IGNORED = new Set(['-q', '--quiet', '-v', '--verbose', '--no-progress', '--isolated']);
const UVX_VALUED = new Set(['--from', '--spec']);
const PYPI_PACKAGE = /^([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?:(?:@|==)([0-9a-z][0-9a-z.+!_-]*))?$/i;

function readUvx(args: readonly string[]): Read {
  const read = optionsOf(args, UVX_IGNORED, UVX_VALUED);
  if (typeof read === 'string') return read;
  if (read.options.length > 1) return 'it names several packages';
  const [first = '', ...others] = read.rest;
  const from = read.options[0]?.[1];
  const [, identifier, version] = PYPI_PACKAGE.exec(from ?? first) ?? [];
  if (identifier === undefined) return 'it is no plain package of PyPI';
  if (from !== undefined && normalised(first) !== normalised(identifier))
    return `it starts the program ${first} of the package ${identifier}`;
  const exact = version === undefined || version === 'latest' ? '' : `@${version}`;
  return { kind: 'package', spec: `pypi:${identifier}${exact}`, args: others, env: {} };
}

function normalised(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

/** Of `docker run`: what mcpd does by itself. */
const RUN_IGNORED = new Set(['-i', '--interactive', '--rm', '--init', '-q', '--quiet', '-t', '--tty', '-it', '-ti']);
const RUN_VALUED = new Set(['-e', '--env', '--name', '--pull']);
const IMAGE = /^[a-z0-9][a-z0-9._/:-]*(@sha256:[a-f0-9]{64})?$/i;

function readRun(args: readonly string[], env: Env): Read {
  const read = optionsOf(args, RUN_IGNORED, RUN_VALUED);
  if (typeof read === 'string') return read;
  const [image = '', ...others] = read.rest;
  if (!IMAGE.test(image)) return 'its image cannot be read';
  const inside: Record<string, string> = {};
  for (const [flag, word] of read.options) {
    if (flag !== '-e' && flag !== '--env') continue;
    const equals = word.indexOf('=');
    const name = equals === -1 ? word : word.slice(0, equals);
    const value = equals === -1 ? env.get(name) : word.slice(equals + 1);
    // Without a value anywhere it is a person's to give, as any placeholder is.
    inside[name] = value ?? `\${env:${name}}`;
  }
  const outside = [...env.keys()].filter((name) => !(name in inside));
  if (outside.length > 0) return `${outside.join(', ')} is for the program that starts the container`;
  return { kind: 'package', spec: `oci:${image}`, args: others, env: inside };
}
