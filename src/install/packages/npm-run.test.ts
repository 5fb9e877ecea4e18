import { expect, test } from 'vitest';
import { npmEnvironment } from './npm-run.ts';

/** What no .npmrc of a clone may say otherwise. */
const SETTLED = {
  npm_config_git: 'git',
  npm_config_node_options: ' ',
  npm_config_global: 'false',
  npm_config_location: 'user',
};

test('npm is not told what a surrounding npx or npm run was told, only how to reach a registry', () => {
  const env = {
    HOME: '/home/me',
    PATH: '/usr/bin',
    HTTPS_PROXY: 'http://proxy',
    npm_config_registry: 'https://r.test',
    NPM_CONFIG_USERCONFIG: '/home/me/.npmrc',
    'npm_config_@acme:registry': 'https://a.test',
    'npm_config_//r.test/:_authToken': 't',
    npm_config_cafile: '/ca',
    npm_config_global: 'true',
    npm_config_prefix: '/x',
    npm_config_git: './evil',
    npm_config_location: 'global',
    npm_config_ignore_scripts: 'false',
    npm_package_name: 'mcpd',
    npm_lifecycle_event: 'start',
    INIT_CWD: '/y',
    NODE_OPTIONS: '--inspect',
  };
  expect(npmEnvironment(env, '/opt/node/bin/node')).toEqual({
    HOME: '/home/me',
    PATH: '/opt/node/bin:/usr/bin',
    HTTPS_PROXY: 'http://proxy',
    npm_config_registry: 'https://r.test',
    NPM_CONFIG_USERCONFIG: '/home/me/.npmrc',
    'npm_config_@acme:registry': 'https://a.test',
    'npm_config_//r.test/:_authToken': 't',
    npm_config_cafile: '/ca',
    ...SETTLED,
  });
});
