import { expect, test } from 'vitest';
import { toolError } from './tool-failure.ts';

const failed = (stderr: string) =>
  toolError(
    { code: 1, stdout: '', stderr, timedOut: false },
    { label: 'pypi:acme@1.0', tool: 'pip', timeoutMs: 1000 },
  ).report();

const UNREACHED = [
  [
    'pip',
    "WARNING: Retrying after connection broken by 'NewConnectionError: Failed to establish a new connection: [Errno -2] Name or service not known': /simple/acme/\nERROR: No matching distribution found for acme",
  ],
  ['uv', 'error: Request failed after 3 retries\n  Caused by: dns error: failed to lookup address information'],
  [
    'docker',
    'Error response from daemon: Get "https://registry-1.docker.io/v2/": dial tcp: lookup registry-1.docker.io: no such host',
  ],
  ['dotnet', 'error NU1301: Unable to load the service index for source https://api.nuget.org/v3/index.json.'],
] as const;

test.each(UNREACHED)('%s that reached nobody says so, and not that there is no such package', (_, stderr) => {
  expect(failed(stderr)).toMatchObject({
    code: 'FETCH_FAILED',
    what: 'pypi:acme@1.0 could not be fetched, as its host was not reached',
  });
});

test('the line that names the network is the reason, not the guess that follows it', () => {
  expect(failed(UNREACHED[0][1]).why).toContain('Name or service not known');
});

test.each([
  ['ERROR: No matching distribution found for acme', 'PACKAGE_UNKNOWN'],
  ['ERROR: Could not find a version that satisfies acme==9 (from versions: 1.0)', 'VERSION_UNKNOWN'],
  ['Cannot connect to the Docker daemon at unix:///run/docker.sock: connection refused', 'FETCH_FAILED'],
  ['No space left on device', 'DISK_FULL'],
  ['', 'FETCH_FAILED'],
])('%j is %s', (stderr, code) => {
  expect(failed(stderr).code).toBe(code);
});
