import { describe, expect, test } from 'vitest';
import { gitText, isGitAddress, misleadingReference, parseGit, repositoryName } from './git-address.ts';

const read = (text: string) => {
  if (!isGitAddress(text)) return 'something else';
  const found = parseGit(text);
  return 'why' in found ? `refused: ${found.why}` : `${found.identifier} at ${found.range}`;
};

describe('a repository is', () => {
  test.each([
    ['https://github.com/acme/weather', 'https://github.com/acme/weather at HEAD'],
    ['https://GitHub.com/acme/weather/', 'https://github.com/acme/weather at HEAD'],
    ['https://codeberg.org/acme/weather#v1.2', 'https://codeberg.org/acme/weather at v1.2'],
    ['https://git.acme.dev/a/b/weather.git', 'https://git.acme.dev/a/b/weather.git at HEAD'],
    ['git+https://git.acme.dev/weather#feature/x', 'https://git.acme.dev/weather at feature/x'],
    ['git:https://git.acme.dev/weather', 'https://git.acme.dev/weather at HEAD'],
    ['git@github.com:acme/weather.git#0123abc', 'git@github.com:acme/weather.git at 0123abc'],
    ['git:git@github.com:acme/weather.git', 'git@github.com:acme/weather.git at HEAD'],
    ['git+ssh://git@acme.dev:22/weather', 'ssh://git@acme.dev:22/weather at HEAD'],
    ['file:///srv/weather.git', 'file:///srv/weather.git at HEAD'],
  ])('%s', (text, expected) => {
    expect(read(text)).toBe(expected);
    const found = parseGit(text);
    if (!('why' in found)) expect(parseGit(gitText(found.identifier, found.range))).toEqual(found);
  });
});

test.each([
  'https://gitlab.com/api/v4/mcp',
  'https://acme.dev/a/b',
  'https://api.githubcopilot.com/mcp/',
  'https://github.com/acme/weather/mcp',
  'https://acme.dev/x.mcpb',
  'npm:@acme/mcp@1',
  'tiny@npm:other',
  'io.github.acme/weather@1.0.0',
  './weather.git',
  '/srv/weather.git',
])('%s is none', (text) => {
  expect(read(text)).toBe('something else');
});

describe('refused is', () => {
  test.each([
    ['git:--upload-pack=touch/tmp/x', 'cannot be'],
    ['git+--upload-pack=/tmp/x', 'cannot be'],
    ['git:ext::sh -c touch% /tmp/x', 'ASCII'],
    ['git+ext::sh', 'cannot be'],
    ['git+fd://7/x', 'no way to a repository'],
    ['git:/srv/weather', 'cannot be'],
    ['git:../weather', 'cannot be'],
    ['git://github.com/acme/weather', 'not encrypted'],
    ['http://github.com/acme/weather', 'not encrypted'],
    ['ssh://-oProxyCommand=touch/x', 'cannot be'],
    ['git:-oProxyCommand=x@host:a/b', 'cannot be'],
    ['git@-oProxyCommand=x:a/b.git', 'something else'],
    ['git:git@-oProxyCommand=x:a/b.git', 'cannot be'],
    ['https://me:secret@github.com/acme/weather', 'user or a password'],
    ['ssh://git:secret@github.com/acme/weather', 'user or a password'],
    ['https://github.com/acme/weather.git?x=y', 'query'],
    ['https://github.com/acme/weather/tree/main/src', 'page inside a repository'],
    ['https://gitlab.com/acme/weather/-/tree/main', 'page inside a repository'],
    ['file://host/srv/weather', 'another machine'],
    ['https://github.com/acme/weather.git\0', 'ASCII'],
    ['https://gіthub.com/acme/weather.git', 'ASCII'],
    ['https://github.com/ac\tme/weather', 'ASCII'],
    ['git@github.com:acme/$(touch).git', 'cannot be'],
    ['git@github.com:acme/`x`.git', 'cannot be'],
    ['git@github.com:acme/../../x.git', 'cannot be'],
    ['git@gіthub.com:acme/weather.git', 'something else'],
    [`git+https://github.com/${'a'.repeat(2100)}/weather`, 'at most 2048'],
  ])('%s', (text, why) => {
    expect(read(text)).toContain(why);
  });

  test.each([
    '-c',
    '--upload-pack=x',
    'a..b',
    'a\nb',
    'a b',
    'a:b',
    '+refs/heads/*',
    'a^{}',
    'a@{1}',
    'a~1',
    '/a',
    'a/',
    'a.lock',
    '.a',
    '*',
    '',
    'a#b',
    'é',
    'a'.repeat(300),
  ])('the reference %j', (range) => {
    expect(read(`https://github.com/acme/weather#${range}`)).toContain('is no branch, tag or commit');
  });
});

test('a repository is called as its last part', () => {
  expect(['https://github.com/acme/weather.git', 'git@h:x.git', 'file:///srv/w'].map(repositoryName)).toEqual([
    'weather',
    'x',
    'w',
  ]);
});

test('a branch or a tag that looks like a commit is told from one by what it came to', () => {
  const commit = '0f14b5e2c9d3a7680f14b5e2c9d3a7680f14b5e2';
  for (const range of ['20250101', 'deadbee', 'DEADBEE']) expect(misleadingReference(range, commit)).toBe(range);
  for (const range of ['0f14b5e', '0F14B5E2', commit, 'main', 'v1', 'HEAD'])
    expect(misleadingReference(range, commit)).toBeNull();
});
