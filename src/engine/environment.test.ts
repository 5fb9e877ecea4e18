import { expect, test } from 'vitest';
import { daemonEnvironment } from './environment.ts';

const TERMINAL = {
  HOME: '/home/ann',
  PATH: '/usr/bin',
  LC_ALL: 'C.UTF-8',
  XDG_RUNTIME_DIR: '/run/user/1000',
  MCPD_PORT: '8000',
  https_proxy: 'http://proxy:3128',
  GITHUB_TOKEN: 'ghp_secret',
  AWS_SECRET_ACCESS_KEY: 'secret',
  NODE_OPTIONS: '--require /tmp/evil.js',
  npm_config_registry: 'http://registry.example',
  PM2_HOME: '/home/ann/.pm2',
};

test('the daemon gets what is named, and no secret that a terminal happened to have', () => {
  expect(daemonEnvironment(TERMINAL, 'linux', { MCPD_HOME: '/srv/mcpd' })).toEqual({
    HOME: '/home/ann',
    PATH: '/usr/bin',
    LC_ALL: 'C.UTF-8',
    XDG_RUNTIME_DIR: '/run/user/1000',
    MCPD_PORT: '8000',
    https_proxy: 'http://proxy:3128',
    MCPD_HOME: '/srv/mcpd',
  });
});

test('on Windows names have no case, and those of the system are there', () => {
  const env = { Path: 'C:\\Windows', SYSTEMROOT: 'C:\\Windows', AppData: 'C:\\Users\\ann', GITHUB_TOKEN: 'x' };
  expect(daemonEnvironment(env, 'win32', {})).toEqual({
    Path: 'C:\\Windows',
    SYSTEMROOT: 'C:\\Windows',
    AppData: 'C:\\Users\\ann',
  });
});
