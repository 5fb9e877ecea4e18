import { describe, expect, test } from 'vitest';
import type { AskedFor } from '../core/model.ts';
import { rangeOf } from './versions.ts';

describe('of a repository', () => {
  const REPOSITORY = 'https://example.org/acme/weather.git';
  const COMMIT = '0f14b5e2c9d3a7680f14b5e2c9d3a7680f14b5e2';
  const followed = (range: string, asked?: AskedFor) => {
    const pack = { kind: 'git', identifier: REPOSITORY, version: COMMIT, integrity: `sha1:${COMMIT}` } as const;
    return rangeOf({
      source: {
        kind: 'git',
        ref: `git:${REPOSITORY}${range}`,
        package: asked === undefined ? pack : { ...pack, asked },
      },
    });
  };

  test('a branch or a tag that was asked for is followed, and after a commit its own branch', () => {
    expect(followed('')).toBe('HEAD');
    expect(followed('#next')).toBe('next');
    expect(followed('#v1.2')).toBe('v1.2');
    expect(followed(`#${COMMIT}`)).toBe('HEAD');
    expect(followed('#0f14b5e')).toBe('HEAD');
  });

  test('a branch or a tag that looks like a commit is followed as what it was found to be', () => {
    expect(followed('#20250101', { reference: '20250101' })).toBe('20250101');
    expect(followed('#0f14b5e', { reference: '20250101' })).toBe('HEAD');
  });
});
