import { describe, expect, test } from 'vitest';
import { type CatalogEntry, findEntry } from '../../registry/catalog.ts';
import type { PublishedInput, PublishedPackage } from '../../registry/published.ts';
import type { InstallRequest } from '../api/contract.ts';
import { McpdError } from '../errors.ts';
import { OWN_DIST, OWN_NODE } from '../own-places.ts';
import { checkNothingMissing } from './inputs.ts';
import { catalogOrigin, namedPackage } from './origins.ts';
import { type Origin, type PlanContext, planInstall, planView } from './plan.ts';

const context: PlanContext = {
  place: { cwd: '/proj', userHome: '/home/me' },
};

const input = (name: string, more: Partial<PublishedInput> = {}): PublishedInput => ({
  name,
  description: `what ${name} is`,
  required: false,
  secret: false,
  format: 'string',
  value: null,
  default: null,
  placeholder: null,
  choices: null,
  variables: [],
  ...more,
});
/** A machine that can run every kind, and no wish. */
const ANYTHING = { lacking: new Set<never>(), wanted: null };
const catalog = (more: Partial<PublishedPackage> = {}, settings: Partial<CatalogEntry> = {}): Origin =>
  catalogOrigin(
    {
      name: 'things',
      aliases: [],
      keywords: [],
      sharing: 'auto',
      ...settings,
      published: {
        ...{ name: 'com.acme/things', title: 'Things', description: 'All  things\n at once', version: '1.2.3' },
        ...{ publisher: 'acme.com', repository: null, websiteUrl: null, licence: null },
        ...{ status: 'active', statusMessage: null, warnings: [], remotes: [], unsupported: [] },
        packages: [
          {
            ...{ kind: 'npm', identifier: '@acme/things', version: '1.2.3', registryBaseUrl: null, fileSha256: null },
            ...{ runtimeHint: null, runtimeArguments: [], arguments: [], env: [] },
            ...more,
          },
        ],
      },
    },
    ANYTHING,
  );
const plan = (origin: Origin, request: Partial<InstallRequest> = {}) =>
  planInstall({ spec: 'things', ...request }, origin, context);
const value = (text: string, secret = true) => ({ value: text, secret });
const codeOf = (act: () => unknown) => {
  try {
    act();
  } catch (error) {
    return error instanceof McpdError ? error.code : String(error);
  }
  return 'nothing was thrown';
};

describe('a package of the catalog', () => {
  test('is fetched at its own version and called by its name', () => {
    expect(plan(catalog())).toMatchObject({
      name: 'things',
      description: 'All things at once',
      fetch: { identifier: '@acme/things', range: '1.2.3' },
      program: null,
      args: [],
      env: {},
      missing: [],
      warnings: [],
    });
  });

  test('that is bundled is started with our node from where mcpd lies', () => {
    const bundled = plan(catalog({ kind: 'bundled', identifier: 'servers/weather.js' }));
    expect(bundled.fetch).toBeNull();
    expect(bundled.program).toEqual({ command: OWN_NODE, args: [`${OWN_DIST}/servers/weather.js`] });
  });

  test('is shared as its entry has it, unless the person says otherwise', () => {
    expect(plan(catalog()).sharing).toBe('auto');
    const pinned = catalog({}, { sharing: 'per-session' });
    expect(plan(pinned).sharing).toBe('per-session');
    expect(plan(pinned, { sharing: 'auto' }).sharing).toBe('auto');
    expect(plan(catalog(), { sharing: 'per-workspace' }).sharing).toBe('per-workspace');
  });

  test('takes fixed values, defaults and given ones, and leaves out what nobody gave', () => {
    const entry = catalog({
      arguments: [
        { flag: '--port', repeated: false, input: input('port', { default: '80', format: 'number' }) },
        { flag: '--mode', repeated: false, input: input('mode') },
        { flag: null, repeated: false, input: input('', { value: 'serve' }) },
      ],
      env: [
        input('FILE', { value: `\${dataDir}/x` }),
        input('COLOR', { default: 'red', choices: ['red', 'blue'] }),
        input('UNSET'),
      ],
    });
    expect(plan(entry)).toMatchObject({
      args: ['--port', '80', 'serve'],
      env: { FILE: `\${dataDir}/x`, COLOR: 'red' },
    });
    const given = plan(entry, { env: { port: value('81'), mode: value('fast'), COLOR: value('blue') } });
    expect(given.args).toEqual(['--port', '81', '--mode', 'fast', 'serve']);
    expect(given.env['COLOR']).toBe('blue');
    expect(given.secrets.size).toBe(0);
  });

  test('lets a person overrule a fixed value, and says so', () => {
    const given = plan(catalog({ env: [input('FILE', { value: `\${dataDir}/x` })] }), {
      env: { FILE: value('/mine') },
    });
    expect(given.env).toEqual({ FILE: '/mine' });
    expect(given.warnings).toEqual([`FILE is usually \${dataDir}/x; your value takes its place`]);
    const same = plan(catalog({ env: [input('FILE', { value: `\${dataDir}/x` })] }), {
      env: { FILE: value(`\${dataDir}/x`) },
    });
    expect(same.warnings).toEqual([]);
  });

  test('keeps a secret by reference, whatever the request says of it', () => {
    const given = plan(catalog({ env: [input('TOKEN', { required: true, secret: true })] }), {
      env: { TOKEN: value('hunter2', false) },
    });
    expect(given.env).toEqual({ TOKEN: `\${secret:TOKEN}` });
    expect(given.secrets).toEqual(new Map([['TOKEN', 'hunter2']]));
    expect(JSON.stringify(planView(given, null, null))).not.toContain('hunter2');
  });

  test('that takes a secret on its command line is warned of', () => {
    const origin = catalog({
      arguments: [{ flag: null, repeated: true, input: input('db-url', { secret: true, required: true }) }],
    });
    const given = plan(origin, { args: ['postgres://a', 'postgres://b', '--quiet'] });
    expect(given.args).toEqual([`\${secret:db_url}`, `\${secret:db_url_2}`, '--quiet']);
    expect([...given.secrets.values()]).toEqual(['postgres://a', 'postgres://b']);
    expect(given.warnings[0]).toContain('takes db_url on its command line only');
  });

  test('takes what stands after -- for its arguments, file names absolute', () => {
    const origin = catalog({
      arguments: [{ flag: null, repeated: true, input: input('directory', { required: true, format: 'filepath' }) }],
    });
    expect(plan(origin, { args: ['docs', '~/notes', '/abs', '--quiet'] }).args).toEqual([
      '/proj/docs',
      '/home/me/notes',
      '/abs',
      '--quiet',
    ]);
    expect(plan(origin, { env: { directory: value('~') } }).args).toEqual(['/home/me']);
    expect(plan(origin, { args: ['--quiet'] }).missing).toHaveLength(1);
  });

  test('names what is missing, with the flag', () => {
    const planned = plan(
      catalog({
        env: [input('TOKEN', { required: true, secret: true })],
        arguments: [{ flag: null, repeated: false, input: input('db', { required: true }) }],
      }),
    );
    expect(planned.missing.map(({ name }) => name)).toEqual(['db', 'TOKEN']);
    expect(planView(planned, { command: OWN_NODE, args: ['<@acme/things@1.2.3>'] }, null).commandLine).toBe(
      `TOKEN=<TOKEN> ${process.execPath} <@acme/things@1.2.3> <db>`,
    );
    expect(() => checkNothingMissing('things', 'things', planned.missing)).toThrow(
      'things needs db and TOKEN: db: what db is; TOKEN: what TOKEN is',
    );
  });

  test.each([
    ['a number', { format: 'number' as const }, 'many'],
    ['a boolean', { format: 'boolean' as const }, 'yes'],
    ['a choice', { choices: ['a', 'b'] }, 'c'],
    ['a NUL', {}, 'a\0b'],
  ])('refuses a value that is not %s it could be', (_, more, text) => {
    const act = () => plan(catalog({ env: [input('X', more)] }), { env: { X: value(text) } });
    expect(codeOf(act)).toBe('INPUT_INVALID');
  });

  test('does not show a secret that is refused', () => {
    const act = () =>
      plan(catalog({ env: [input('PIN', { secret: true, format: 'number' })] }), { env: { PIN: value('hunter2') } });
    expect(act).toThrow('the value of PIN will not do: it must be a number');
    expect(act).not.toThrow('hunter2');
  });

  test('warns of variables that run other code', () => {
    expect(plan(catalog({ env: [input('NODE_OPTIONS', { value: '--require x' })] })).warnings).toHaveLength(1);
    expect(plan(catalog(), { env: { NODE_OPTIONS: value('--x', false) } }).warnings).toEqual([]);
  });
});

describe('variables that the catalog does not know', () => {
  test('are secret unless they were said not to be', () => {
    const given = plan(catalog(), {
      env: { KEY: value('k'), CITY: value('Oslo', false), REF: value(`\${secret:OTHER}`) },
    });
    expect(given.env).toEqual({ KEY: `\${secret:KEY}`, CITY: 'Oslo', REF: `\${secret:OTHER}` });
    expect([...given.secrets]).toEqual([['KEY', 'k']]);
  });

  test('must have names that a process can carry', () => {
    expect(codeOf(() => plan(catalog(), { env: { 'A-B': value('x') } }))).toBe('INPUT_INVALID');
    const odd = plan(catalog(), { env: Object.fromEntries([['__proto__', value('x')]]) });
    expect(Object.getOwnPropertyNames(odd.env)).toEqual(['__proto__']);
  });
});

describe('a package of npm', () => {
  test('is called by its slug, or as asked', () => {
    const origin = namedPackage({ kind: 'package', of: 'npm', identifier: '@acme/Cool.Server', range: '^2' });
    expect(plan(origin, { args: ['-v'] })).toMatchObject({
      name: 'cool-server',
      fetch: { identifier: '@acme/Cool.Server', range: '^2' },
      args: ['-v'],
      program: null,
    });
    expect(plan(origin, { name: 'mine' }).name).toBe('mine');
    expect(plan(origin, { name: 'My Own' })).toMatchObject({
      name: 'my-own',
      warnings: ['"My Own" is called my-own here: names are a-z, 0-9, - and _'],
    });
    expect(codeOf(() => plan(origin, { name: 'mcpd' }))).toBe('NAME_INVALID');
    expect(plan(origin, { allowScripts: true }).warnings[0]).toContain('install scripts');
  });
});

describe('a folder', () => {
  const folder = (program: { command: string; args: string[] } | McpdError): Origin => ({
    kind: 'folder',
    folder: { path: '/src/my server', name: 'My Server', description: '', program },
  });
  const none = new McpdError('PACKAGE_NOT_RUNNABLE', { what: 'it does not say how' });

  test('is started by its own program, in itself, with the arguments after it', () => {
    const planned = plan(folder({ command: '/opt/node', args: ['/src/my server/index.js'] }), { args: ['--dev'] });
    expect(planned).toMatchObject({ name: 'my-server', cwd: '/src/my server', fetch: null, args: ['--dev'] });
    expect(planView(planned, null, null).commandLine).toBe("/opt/node '/src/my server/index.js' --dev");
  });

  test('without a program is started by the command after --', () => {
    expect(plan(folder(none), { args: ['python3', 'server.py'] })).toMatchObject({
      program: { command: 'python3', args: [] },
      args: ['server.py'],
    });
    expect(plan(folder(none), { args: ['./run.sh'] }).program).toEqual({ command: '/src/my server/run.sh', args: [] });
    expect(plan(folder(none), { args: ['/usr/bin/x'] }).program).toEqual({ command: '/usr/bin/x', args: [] });
    expect(codeOf(() => plan(folder(none)))).toBe('PACKAGE_NOT_RUNNABLE');
  });
});

describe('a server that runs elsewhere', () => {
  const github = () => catalogOrigin(findEntry('github') ?? expect.fail('the catalog has no github'), ANYTHING);
  const TOKEN = { GITHUB_PERSONAL_ACCESS_TOKEN: value('ghp_1') };

  test('asks for what its headers need, and sends the others only when they are given', () => {
    expect(plan(github()).missing.map(({ name, secret }) => [name, secret])).toEqual([
      ['GITHUB_PERSONAL_ACCESS_TOKEN', true],
    ]);
    const planned = plan(github(), { env: { ...TOKEN, X_MCP_Toolsets: value('repos', false) } });
    expect(planned.secrets).toEqual(new Map([['GITHUB_PERSONAL_ACCESS_TOKEN', 'ghp_1']]));
    expect(planned.remote?.headers).toEqual({
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference to a secret
      Authorization: 'Bearer ${secret:GITHUB_PERSONAL_ACCESS_TOKEN}',
      'X-MCP-Toolsets': 'repos',
    });
  });

  test('refuses a variable or an argument, which nobody would get', () => {
    for (const more of [{ env: { ...TOKEN, GITHUB_TOKEN: value('x') } }, { env: TOKEN, args: ['--read-only'] }])
      expect(codeOf(() => plan(github(), more))).toBe('INPUT_INVALID');
  });
});
