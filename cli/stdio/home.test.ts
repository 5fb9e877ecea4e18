import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { homePath, pathsOf } from '../../src/paths.ts';
import { homeOf, socketNameOf } from './home.ts';
import { hostNamed } from './host-option.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

describe('the name of the host', () => {
  test.each([
    [[], { host: null }],
    [['stdio'], { host: null }],
    [['--host', 'zed'], { host: 'zed' }],
    [['stdio', '--host=claude-desktop'], { host: 'claude-desktop' }],
    [['--host', 'stdio'], { host: 'stdio' }],
    [['--host'], { wrong: '--host needs a name' }],
    [['--host='], { wrong: '--host needs a name' }],
    [['--hots', 'zed'], { wrong: 'mcpd stdio does not know --hots' }],
    [['--host', 'zed', 'x'], { wrong: 'mcpd stdio does not know x' }],
  ])('in %j', (args, expected) => {
    expect(hostNamed(args)).toEqual(expected);
  });
});

describe('where the daemon is', () => {
  test.each([{}, { MCPD_HOME: '' }, { MCPD_HOME: '/x/../y' }, { MCPD_HOME: 'relative' }])(
    'the shim and the daemon mean the same home by %j',
    (given) => {
      const home = homeOf(given, () => '/home/me');
      expect(home).toBe('MCPD_HOME' in given && given.MCPD_HOME !== '' ? homePath(given) : '/home/me/.mcpd');
      expect(socketNameOf(home, process.platform, sha256)).toBe(pathsOf(home).hostSocket);
    },
  );

  test('on Windows it is a pipe of the home, in whatever case the home is written', () => {
    const name = socketNameOf('C:\\Users\\Me\\.mcpd', 'win32', sha256);
    expect(name).toMatch(/^\\\\\.\\pipe\\mcpd-[0-9a-f]{16}-hosts$/);
    expect(socketNameOf('c:\\users\\me\\.MCPD', 'win32', sha256)).toBe(name);
  });
});
