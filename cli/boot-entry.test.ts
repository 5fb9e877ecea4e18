import { expect, test } from 'vitest';
import { type BootFacts, bootEntry } from './boot-entry.ts';

const facts: BootFacts = {
  platform: 'linux',
  userHome: '/home/me',
  user: 'me',
  uid: 1000,
  env: {},
  node: '/opt/node/bin/node',
  script: '/opt/mcpd/dist/mcpd.js',
  home: '/home/me/.mcpd',
  isDefault: true,
};

test('on Linux it is a unit of the user, which needs no rights of an administrator', () => {
  const entry = bootEntry(facts);
  expect(entry.path).toBe('/home/me/.config/systemd/user/mcpd.service');
  expect(entry.content).toContain('ExecStart="/opt/node/bin/node" "/opt/mcpd/dist/mcpd.js" "up"\n');
  expect(entry.content).toContain('Environment="MCPD_HOME=/home/me/.mcpd"\n');
  expect(entry.afterWriting.flat()).not.toContain('sudo');
});

test('a path with quotes, percent and dollar signs stays one word for systemd', () => {
  const odd = '/h/a "b" 50% $X\\';
  const { content } = bootEntry({ ...facts, home: odd, script: odd });
  expect(content).toContain('Environment="MCPD_HOME=/h/a \\"b\\" 50%% $X\\\\"\n');
  expect(content).toContain('"/h/a \\"b\\" 50%% $$X\\\\" "up"\n');
});

test('another home has an entry of its own', () => {
  const other = bootEntry({ ...facts, home: '/tmp/x', isDefault: false, env: { XDG_CONFIG_HOME: '/cfg' } });
  expect(other.path).toMatch(/^\/cfg\/systemd\/user\/mcpd-[0-9a-f]{8}\.service$/);
  expect(bootEntry({ ...facts, env: { XDG_CONFIG_HOME: '' } }).path).toBe(bootEntry(facts).path);
});

const set = {
  MCPD_PORT: '9000',
  MCPD_CLIENT_METADATA_URL: 'https://me.example/client?a=1&b=50%',
  https_proxy: 'http://proxy.example:3128',
  NO_PROXY: '.internal',
  NODE_EXTRA_CA_CERTS: '/etc/ca.pem',
  HTTP_PROXY: '',
  GITHUB_TOKEN: 'ghp_secret',
};

test.each([
  ['linux', (name: string, value: string) => `Environment="${name}=${value.replaceAll('%', '%%')}"\n`],
  [
    'darwin',
    (name: string, value: string) => `<key>${name}</key>\n    <string>${value.replaceAll('&', '&amp;')}</string>\n`,
  ],
  ['win32', (name: string, value: string) => `set "${name}=${value.replaceAll('%', '%%')}"\r\n`],
] as const)(
  'on %s a daemon started by a login has the settings that it was given in the terminal',
  (platform, line) => {
    const { content } = bootEntry({ ...facts, platform, env: set });
    const { HTTP_PROXY: _, GITHUB_TOKEN: __, ...settings } = set;
    for (const [name, value] of Object.entries(settings)) expect(content).toContain(line(name, value));
    expect(content).not.toMatch(/HTTP_PROXY|GITHUB_TOKEN/);
  },
);

test.each(['pa55word', 'pa/55?wo#rd'])(
  'a proxy with the password %s stays out of the file, and a hint names it and the place for it',
  (password) => {
    const env = { HTTPS_PROXY: `http://me:${password}@proxy.example:3128`, HTTP_PROXY: 'http://proxy.example:3128' };
    const { content, hints } = bootEntry({ ...facts, env });
    expect(content).not.toMatch(/HTTPS_PROXY|me:/);
    expect(content).toContain('Environment="HTTP_PROXY=http://proxy.example:3128"\n');
    const said = hints.join('\n');
    expect(said).toMatch(/HTTPS_PROXY is not in this file, as it holds a secret: .*environment\.d/);
    expect(said).not.toContain(password);
  },
);

test('on macOS it is a launch agent whose text is valid XML', () => {
  const entry = bootEntry({ ...facts, platform: 'darwin', home: '/Users/me/a&b<c>' });
  expect(entry.path).toBe('/home/me/Library/LaunchAgents/mcpd.mcpd.plist');
  expect(entry.content).toContain('<string>/Users/me/a&amp;b&lt;c&gt;</string>');
  expect(entry.beforeRemoving).toEqual([['launchctl', 'bootout', 'gui/1000/mcpd.mcpd']]);
});

test('on Windows it is a file of the startup folder in which percent signs are safe', () => {
  const entry = bootEntry({ ...facts, platform: 'win32', userHome: 'C:\\Users\\me', home: 'C:\\50%' });
  expect(entry.path).toBe(
    'C:\\Users\\me\\AppData\\Roaming\\Microsoft\\Windows\\Start Menu\\Programs\\Startup\\mcpd.cmd',
  );
  expect(entry.content).toContain('set "MCPD_HOME=C:\\50%%"\r\n');
});
