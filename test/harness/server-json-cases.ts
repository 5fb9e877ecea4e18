/** Shapes of `server.json` packages, with the command line and the environment that a server must get of each. */

export interface ServerJsonCase {
  title: string;
  kind: 'pypi' | 'oci' | 'nuget';
  /** Members of the package besides its kind, identifier and version. */
  package: object;
  /** By `--env`. */
  given?: Record<string, string>;
  /** After `--`. */
  args?: string[];
  /** What stands before the package: of `oci` between `run …` and the variables, of `nuget` between `--yes` and `--`. */
  before?: string[];
  /** What the server itself is given. */
  after?: string[];
  /** Variables, all of those that were declared. */
  env?: Record<string, string>;
  /** Values that stand on no command line. */
  secret?: string[];
  /** It is refused, with these words. */
  refused?: string;
}

const named = (name: string, more: object = {}) => ({ type: 'named', name, ...more });
const positional = (more: object) => ({ type: 'positional', ...more });
const variable = (name: string, more: object = {}) => ({ name, ...more });
const after = (...packageArguments: object[]) => ({ packageArguments });
const before = (...runtimeArguments: object[]) => ({ runtimeArguments });
const env = (...environmentVariables: object[]) => ({ environmentVariables });

/** The same of every kind: what stands after the package, and its variables. */
const COMMON: Omit<ServerJsonCase, 'kind'>[] = [
  { title: 'nothing at all', package: {}, after: [], env: {} },
  { title: 'a fixed word', package: after(positional({ value: 'serve' })), after: ['serve'] },
  {
    title: 'two fixed words',
    package: after(positional({ value: 'mcp' }), positional({ value: 'start' })),
    after: ['mcp', 'start'],
  },
  { title: 'a flag alone', package: after(named('--stdio')), after: ['--stdio'] },
  { title: 'a flag with a fixed value', package: after(named('--mode', { value: 'fast' })), after: ['--mode', 'fast'] },
  {
    title: 'a fixed value with spaces',
    package: after(named('--title', { value: 'a  b c' })),
    after: ['--title', 'a  b c'],
  },
  {
    title: 'a fixed value with quotes and a shell line',
    package: after(named('--say', { value: `it's "x"; rm -rf $HOME \`id\` $(id)` })),
    after: ['--say', `it's "x"; rm -rf $HOME \`id\` $(id)`],
  },
  { title: 'an empty fixed value', package: after(named('--prefix', { value: '' })), after: ['--prefix', ''] },
  {
    title: 'a default',
    package: after(named('--port', { default: '8080', format: 'number' })),
    after: ['--port', '8080'],
  },
  {
    title: 'a default that is a number',
    package: after(named('--port', { default: 8080 })),
    after: ['--port', '8080'],
  },
  {
    title: 'a value in the place of a default',
    ...{ package: after(named('--port', { default: '8080', format: 'number' })), given: { port: '9090' } },
    after: ['--port', '9090'],
  },
  { title: 'an optional value that nobody gave', package: after(named('--port', { format: 'number' })), after: [] },
  {
    title: 'a boolean',
    ...{ package: after(named('--verbose', { format: 'boolean' })), given: { verbose: 'TRUE' } },
    after: ['--verbose', 'true'],
  },
  {
    title: 'a boolean default',
    package: after(named('--verbose', { default: false, format: 'boolean' })),
    after: ['--verbose', 'false'],
  },
  {
    title: 'a boolean that is none',
    ...{ package: after(named('--verbose', { format: 'boolean' })), given: { verbose: 'yes' } },
    refused: 'it must be true or false',
  },
  {
    title: 'a number that is none',
    ...{ package: after(named('--port', { format: 'number' })), given: { port: 'many' } },
    refused: 'it must be a number',
  },
  {
    title: 'a choice',
    ...{ package: after(named('--log-level', { choices: ['debug', 'info'] })), given: { log_level: 'debug' } },
    after: ['--log-level', 'debug'],
  },
  {
    title: 'no choice of those',
    ...{ package: after(named('--log-level', { choices: ['debug', 'info'] })), given: { log_level: 'loud' } },
    refused: 'it must be one of debug, info',
  },
  {
    title: 'a positional value by its hint',
    ...{ package: after(positional({ valueHint: 'target_dir', isRequired: true })), given: { target_dir: 'x y' } },
    after: ['x y'],
  },
  {
    title: 'a positional value after --',
    ...{ package: after(positional({ valueHint: 'target_dir', isRequired: true })), args: ['here'] },
    after: ['here'],
  },
  { title: 'a positional default', package: after(positional({ valueHint: 'dir', default: '/srv' })), after: ['/srv'] },
  {
    title: 'repeated positional values',
    ...{ package: after(positional({ valueHint: 'dir', isRepeated: true })), args: ['a', 'b', 'c'] },
    after: ['a', 'b', 'c'],
  },
  {
    title: 'a repeated flag',
    ...{ package: after(named('--root', { valueHint: 'dir', isRepeated: true })), given: { root: 'a\nb' } },
    after: ['--root', 'a', '--root', 'b'],
  },
  {
    title: 'words in the order of the document, and more after --',
    package: after(positional({ value: 'serve' }), named('--a', { value: '1' }), positional({ value: 'x' })),
    ...{ args: ['--more', 'y'], after: ['serve', '--a', '1', 'x', '--more', 'y'] },
  },
  {
    title: 'a template',
    package: after(
      named('--url', {
        value: 'https://{host}:{port}/x',
        variables: { host: { isRequired: true }, port: { default: '443' } },
      }),
    ),
    ...{ given: { host: 'h.test' }, after: ['--url', 'https://h.test:443/x'] },
  },
  {
    title: 'a template whose variable nobody gave',
    package: after(named('--url', { value: 'https://{host}/', variables: { host: {} } })),
    after: [],
  },
  {
    title: 'a template without variables',
    package: after(named('--format', { value: '{name}: {value}' })),
    after: ['--format', '{name}: {value}'],
  },
  {
    title: 'a required value that is missing',
    package: after(named('--key', { isRequired: true })),
    refused: 'needs key',
  },
  {
    title: 'a required template that is missing',
    package: after(named('--u', { value: '{host}', isRequired: true, variables: { host: {} } })),
    refused: 'needs host',
  },
  { title: 'a fixed variable', package: env(variable('MODE', { value: 'stdio' })), env: { MODE: 'stdio' } },
  {
    title: 'a default of a variable',
    package: env(variable('CITY', { default: 'Bad Ems' })),
    env: { CITY: 'Bad Ems' },
  },
  { title: 'an optional variable', package: env(variable('CITY')), env: {} },
  { title: 'a required variable', package: env(variable('CITY', { isRequired: true })), refused: 'needs CITY' },
  {
    title: 'a secret variable',
    ...{ package: env(variable('API_KEY', { isRequired: true, isSecret: true })), given: { API_KEY: 's3cr3t value' } },
    ...{ env: { API_KEY: 's3cr3t value' }, secret: ['s3cr3t value'] },
  },
  {
    title: 'a template with a secret',
    package: env(
      variable('AUTH', { value: 'Bearer {token}', variables: { token: { isSecret: true, isRequired: true } } }),
    ),
    ...{ given: { token: 'tok-123' }, env: { AUTH: 'Bearer tok-123' }, secret: ['tok-123'] },
  },
  {
    title: 'a variable with quotes, a line break and a dollar',
    ...{ package: env(variable('TEXT')), given: { TEXT: `"a"\n$b 'c'` }, env: { TEXT: `"a"\n$b 'c'` } },
  },
  {
    title: 'a variable that nobody declared',
    package: {},
    given: { EXTRA: 'e x' },
    env: { EXTRA: 'e x' },
    secret: ['e x'],
  },
  { title: 'a NUL in a value', package: env(variable('A')), given: { A: 'a\0b' }, refused: 'holds a NUL' },
];

const OCI: Omit<ServerJsonCase, 'kind'>[] = [
  {
    title: 'words that mcpd says itself',
    package: before(positional({ value: 'run' }), named('-i'), named('--rm')),
    before: [],
  },
  {
    title: 'a mount',
    package: before(named('--mount', { value: 'type=bind,src=/a b,dst=/x' })),
    before: ['--mount', 'type=bind,src=/a b,dst=/x'],
  },
  {
    title: 'a mount of what a person names',
    package: before(
      named('-v', { value: '{path}:/data:ro', variables: { path: { isRequired: true, format: 'filepath' } } }),
    ),
    ...{ given: { path: '/home/me/x y' }, before: ['-v', '/home/me/x y:/data:ro'] },
  },
  { title: 'a network', package: before(named('--network', { value: 'host' })), before: ['--network', 'host'] },
  { title: 'a terminal, which a server cannot have', package: before(named('-it')), before: [] },
  {
    title: 'a name, which would let one process live at a time',
    package: before(named('--name', { value: 'one' })),
    before: [],
  },
  {
    title: 'a secret in a variable of the runtime',
    package: before(
      named('-e', { value: 'TOKEN={token}', variables: { token: { isSecret: true, isRequired: true } } }),
    ),
    ...{ given: { token: 'tok-9' }, before: [], env: { TOKEN: 'tok-9' }, secret: ['tok-9'] },
  },
  {
    title: 'a variable of the runtime by its name',
    package: before(named('--env', { value: 'LANG' })),
    before: ['-e', 'LANG'],
  },
  {
    title: 'a secret on the command line',
    ...{ package: after(named('--key', { isSecret: true, isRequired: true })), given: { key: 'k' } },
    refused: 'would stand on the command line',
  },
  {
    title: 'a variable that leads the engine',
    package: env(variable('DOCKER_HOST', { value: 'tcp://x.test:1' })),
    before: ['-e', 'DOCKER_HOST=tcp://x.test:1'],
  },
  { title: 'the runtime hint docker', package: { runtimeHint: 'docker' }, before: [] },
];

const NUGET: Omit<ServerJsonCase, 'kind'>[] = [
  { title: 'what mcpd says itself', package: before(named('--yes')), before: [] },
  { title: 'a word of the runtime', package: before(named('--prerelease')), before: ['--prerelease'] },
  {
    title: 'another registry',
    package: { registryBaseUrl: 'https://nuget.acme.test/v3/index.json' },
    before: ['--source', 'https://nuget.acme.test/v3/index.json'],
  },
  {
    title: 'the runtime hint dnx',
    package: { runtimeHint: 'dnx', ...after(positional({ value: 'mcp' }), positional({ value: 'start' })) },
    after: ['mcp', 'start'],
  },
];

const PYPI: Omit<ServerJsonCase, 'kind'>[] = [
  { title: 'another Python', package: before(named('--python', { value: '3.12' })), before: ['--python', '3.12'] },
  { title: 'more packages', package: before(named('--with', { value: 'httpx' })), before: ['--with', 'httpx'] },
  {
    title: 'another registry',
    package: { registryBaseUrl: 'https://pypi.acme.test' },
    before: ['--index-url', 'https://pypi.acme.test/simple'],
  },
  { title: 'the runtime hint uvx', package: { runtimeHint: 'uvx' }, before: [] },
  {
    title: 'a source that is not PyPI',
    package: before(named('--from', { value: 'git+https://x.test/a' })),
    refused: 'does not name a package of PyPI',
  },
];

const of = (kind: ServerJsonCase['kind'], cases: readonly Omit<ServerJsonCase, 'kind'>[]) =>
  cases.map((each): ServerJsonCase => ({ kind, ...each }));

/** Every kind has its own; what all have in common is tried with the two that differ most, and in part with the third. */
export const SERVER_JSON_CASES: readonly ServerJsonCase[] = [
  ...of('oci', [...COMMON, ...OCI]),
  ...of('nuget', [...COMMON.filter((_, index) => index % 4 === 0), ...NUGET]),
  ...of('pypi', [...COMMON.filter((_, index) => index % 3 === 0), ...PYPI]),
];
