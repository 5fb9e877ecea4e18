import { describe, expect, test } from 'vitest';
import { engineWarnings, npmError, readNpmFailure } from './npm-failure.ts';

const asked = { identifier: '@acme/server-wether', range: '9', knownNames: ['weather', 'todo'] };
const printed = (code: string | number, summary: string, detail = '') =>
  JSON.stringify({ error: { code, summary, detail } }, null, 2);
const errorOf = (code: string | number, summary: string, detail = '') =>
  npmError(readNpmFailure(printed(code, summary, detail), ''), asked);

describe('what npm says becomes an error that names the cause', () => {
  test('an unknown package, with the catalog name that was meant', () => {
    const detail =
      "The requested resource '@acme/server-wether@*' could not be found or you do not have permission to access it.";
    const error = errorOf('E404', 'Not Found - GET https://registry.test/@acme%2fserver-wether - Not found', detail);
    expect(error.code).toBe('PACKAGE_UNKNOWN');
    expect(error.message).toContain('registry.test does not have it');
    expect(error.parts.fix).toContain('did you mean weather?');
  });

  test('an unknown package below it is not blamed on the package', () => {
    const detail = "The requested resource 'nonesuch@1' could not be found or you do not have permission to access it.";
    const error = errorOf('E404', 'Not Found - GET https://registry.test/nonesuch - Not found', detail);
    expect(error.code).toBe('FETCH_FAILED');
    expect(error.message).toContain('it depends on nonesuch, which registry.test does not have');
  });

  test('an unknown version, of the package or below it', () => {
    expect(errorOf('ETARGET', 'No matching version found for @acme/server-wether@9.').code).toBe('VERSION_UNKNOWN');
    expect(errorOf('ETARGET', 'No matching version found for other@^3.0.0.').message).toContain('for other@^3.0.0');
  });

  test('a registry that cannot be reached is named', () => {
    const refused = errorOf(
      'ECONNREFUSED',
      'FetchError: request to http://127.0.0.1:9/x failed, reason: connect ECONNREFUSED 127.0.0.1:9',
    );
    expect(refused.code).toBe('FETCH_FAILED');
    expect(refused.parts.why).toContain('127.0.0.1:9 could not be reached (ECONNREFUSED)');
    expect(errorOf('ENOTFOUND', 'getaddrinfo ENOTFOUND registry.test').parts.why).toContain(
      'registry.test could not be reached',
    );
    const untrusted = errorOf(
      'SELF_SIGNED_CERT_IN_CHAIN',
      'request to https://registry.test/x failed, reason: self-signed',
    );
    expect(untrusted.parts.why).toContain('the certificate of registry.test is not trusted');
    expect(errorOf('E401', 'Unauthorized - GET https://registry.test/x').parts.fix).toContain('npm login');
  });

  test('a full disk, a wrong platform, a failed script, a wrong checksum', () => {
    expect(errorOf('ENOSPC', 'ENOSPC: no space left on device, write').code).toBe('DISK_FULL');
    expect(errorOf('EBADPLATFORM', 'Unsupported platform for x@1: wanted {"os":"win32"}').code).toBe(
      'PACKAGE_NOT_RUNNABLE',
    );
    expect(errorOf(3, 'command failed', 'sh -c node x\noh no').parts.why).toBe('an install script ended with 3: oh no');
    expect(errorOf('EINTEGRITY', 'sha512-x integrity checksum failed').parts.why).toContain('checksum');
  });

  test('an npm that prints lines instead of JSON is understood too', () => {
    const stderr =
      'npm ERR! code E404\nnpm ERR! 404 Not Found - GET https://r.test/x\nnpm ERR! A complete log of this run';
    expect(readNpmFailure('', stderr)).toEqual({
      code: 'E404',
      summary: '404 Not Found - GET https://r.test/x',
      detail: '',
    });
    expect(readNpmFailure('{"error": {"co', '')).toEqual({ code: '', summary: '', detail: '' });
    expect(npmError(readNpmFailure('', ''), asked).parts.why).toContain('without a code');
  });
});

test('a package that asks for another node is a warning', () => {
  const stderr = `npm warn EBADENGINE Unsupported engine {
npm warn EBADENGINE   package: '@acme/tiny@1.0.0',
npm warn EBADENGINE   required: { node: '>=99' },
npm warn EBADENGINE   current: { node: 'v20.20.2', npm: '11.19.1' }
npm warn EBADENGINE }`;
  expect(engineWarnings(stderr)).toEqual(["@acme/tiny@1.0.0 asks for another runtime than this one: { node: '>=99' }"]);
});
