// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are mcpd's placeholders, not JavaScript's
import { expect, test } from 'vitest';
import type { StdioLaunch } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { filledLaunch, serverEnvironment, variable } from './environment.ts';

const launch = (more: Partial<StdioLaunch>): StdioLaunch => ({
  kind: 'stdio',
  command: 'node',
  args: [],
  cwd: null,
  env: {},
  ...more,
});
const fillings = (secrets: Record<string, string>) => ({
  server: 'weather',
  secret: (name: string) => secrets[name],
  variables: new Map([['WORK', '/home/a/work']]),
  dataDir: '/home/a/.mcpd/data/weather',
  cidFile: null,
});
const thrown = (act: () => unknown): McpdError => {
  try {
    act();
  } catch (error) {
    if (error instanceof McpdError) return error;
  }
  throw new Error('no McpdError was thrown');
};

test('a server gets the named variables and its own, and nothing else the daemon had', () => {
  const environment = serverEnvironment({
    inherited: {
      HOME: '/home/a',
      PATH: '/bin',
      LC_ALL: 'C',
      XDG_RUNTIME_DIR: '/run/user/1',
      https_proxy: 'http://p',
      AWS_SECRET_ACCESS_KEY: 'x',
      NODE_OPTIONS: '--inspect',
      MCPD_INSTANCE: 'of a daemon above',
    },
    loginPath: '/opt/bin:/bin',
    declared: { API_KEY: 'k', HOME: '/elsewhere' },
    platform: 'linux',
  });
  expect(environment).toEqual({
    HOME: '/elsewhere',
    PATH: '/opt/bin:/bin',
    LC_ALL: 'C',
    XDG_RUNTIME_DIR: '/run/user/1',
    https_proxy: 'http://p',
    API_KEY: 'k',
  });
});

test('on Windows names are equal whatever their case', () => {
  const environment = serverEnvironment({
    inherited: { PATH: 'C:\\a', systemroot: 'C:\\Windows', Secret: 'x', TEMP: 'C:\\t' },
    loginPath: 'C:\\b',
    declared: { temp: 'D:\\t' },
    platform: 'win32',
  });
  expect(environment).toEqual({ PATH: 'C:\\b', systemroot: 'C:\\Windows', temp: 'D:\\t' });
  expect(variable(environment, 'Path', 'win32')).toBe('C:\\b');
  expect(variable(environment, 'Path', 'linux')).toBeUndefined();
});

test('secrets and the data folder are filled into arguments and variables, in any place and number', () => {
  const filled = filledLaunch(
    launch({
      args: ['--token=${secret:TOKEN}', '${dataDir}/a b', '$HOME', '${other}'],
      env: { AUTH: 'Bearer ${secret:TOKEN}:${secret:TOKEN}', FILE: '${dataDir}/memory.json' },
    }),
    fillings({ TOKEN: 's3cret $& ${secret:OTHER}' }),
  );
  expect(filled.args).toEqual([
    '--token=s3cret $& ${secret:OTHER}',
    '/home/a/.mcpd/data/weather/a b',
    '$HOME',
    '${other}',
  ]);
  expect(filled.env).toEqual({
    AUTH: 'Bearer s3cret $& ${secret:OTHER}:s3cret $& ${secret:OTHER}',
    FILE: '/home/a/.mcpd/data/weather/memory.json',
  });
});

test('variables of the person are filled in as well, also into the folder, and what is set nowhere is named', () => {
  const given = { args: ['--work', '${env:WORK}'], env: { KEY: '${env:WORK}/${secret:KEY}' }, cwd: '${env:WORK}/x' };
  expect(filledLaunch(launch(given), fillings({ KEY: '${env:HOME}' }))).toEqual({
    args: ['--work', '/home/a/work'],
    env: { KEY: '/home/a/work/${env:HOME}' },
    cwd: '/home/a/work/x',
  });
  const error = thrown(() => filledLaunch(launch({ env: { KEY: '${env:GITHUB_TOKEN}' } }), fillings({})));
  expect(error.code).toBe('VARIABLE_MISSING');
  expect(error.parts.what).toBe('weather needs the variable GITHUB_TOKEN, which is not set');
  expect(error.parts.fix).toContain('export GITHUB_TOKEN');
});

test('a secret is never made part of a path, which is shown in errors and listings', () => {
  expect(filledLaunch(launch({ cwd: '/x/${secret:KEY}' }), fillings({ KEY: 'hunter2' })).cwd).toBe('/x/${secret:KEY}');
});

test('a secret without a value is named, and what to do', () => {
  const error = thrown(() => filledLaunch(launch({ env: { KEY: '${secret:API_KEY}' } }), fillings({})));
  expect(error.code).toBe('SECRET_MISSING');
  expect(error.message).toContain('API_KEY');
  expect(error.parts.fix).toBe('mcpd secret set weather API_KEY');
});

test.each<[string, Partial<StdioLaunch>]>([
  ['argument 2 contains a NUL character', { args: ['a', 'b\0c'] }],
  ['the value of KEY contains a NUL character', { env: { KEY: 'a\0' } }],
  ['its command contains a NUL character', { command: 'no\0de' }],
  ['"A=B" is no name of an environment variable', { env: { 'A=B': 'x' } }],
  ['"" is no name of an environment variable', { env: { '': 'x' } }],
])('what no system can pass on is refused: %s', (why, more) => {
  expect(thrown(() => filledLaunch(launch(more), fillings({}))).parts.why).toBe(why);
});
