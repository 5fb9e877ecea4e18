import { describe, expect, test } from 'vitest';
import { bearerChallenge } from './challenge.ts';

const NONE = { resourceMetadata: null, scope: null, error: null };

describe('WWW-Authenticate', () => {
  test('its parameters are read, quoted or not, whatever the case', () => {
    const header =
      'bearer error=insufficient_scope, Scope="files:read files:write", resource_metadata = "https://a.b/c"';
    expect(bearerChallenge(header)).toEqual({
      resourceMetadata: 'https://a.b/c',
      scope: 'files:read files:write',
      error: 'insufficient_scope',
    });
  });

  test('a description that quotes a parameter does not count as one', () => {
    const header = String.raw`Bearer error_description="say \"scope=admin\", resource_metadata=https://evil.test", error="invalid_token"`;
    expect(bearerChallenge(header)).toEqual({ ...NONE, error: 'invalid_token' });
  });

  test('parameters of another scheme are not taken for those of Bearer', () => {
    expect(bearerChallenge('Negotiate YWJj==, Digest scope="x", Bearer scope="y"')).toEqual({ ...NONE, scope: 'y' });
    expect(bearerChallenge('Digest realm="Bearer", scope="x"')).toEqual(NONE);
  });

  test('of two values and of two challenges the first counts', () => {
    expect(bearerChallenge('Bearer scope="a", scope="b", Bearer scope="c"')).toEqual({ ...NONE, scope: 'a' });
  });

  test.each([[null], [''], ['Bearer'], ['Basic realm="x"'], ['"""'], ['=='], ['Bearer scope="unclosed']])(
    '%j says nothing',
    (header) => {
      expect(bearerChallenge(header)).toEqual(NONE);
    },
  );
});
