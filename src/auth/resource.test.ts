import { expect, test } from 'vitest';
import { covers, isSafeFor } from './resource.ts';

test.each([
  ['https://a.test/mcp', 'https://a.test/mcp', true],
  ['https://a.test', 'https://a.test/mcp', true],
  ['https://A.test:443/mcp/', 'https://a.test/mcp', true],
  ['https://a.test/mcp', 'https://a.test/mcp/v1?x=1', true],
  ['https://a.test/mc', 'https://a.test/mcp', false],
  ['https://a.test/mcp/v1', 'https://a.test/mcp', false],
  ['http://a.test/mcp', 'https://a.test/mcp', false],
  ['https://a.test:8443', 'https://a.test/mcp', false],
  ['https://b.test/mcp', 'https://a.test/mcp', false],
  ['https://ann@a.test/mcp', 'https://a.test/mcp', false],
  ['https://a.test/mcp#x', 'https://a.test/mcp', false],
  ['data:x', 'data:x', false],
  ['mcp', 'https://a.test/mcp', false],
])('the resource %s covers %s: %s', (resource, url, covered) => {
  expect(covers(resource, url)).toBe(covered);
});

test.each([
  ['https://login.test/token', 'https://a.test/mcp', true],
  ['http://login.test/token', 'https://a.test/mcp', false],
  ['http://127.0.0.1:9/token', 'http://127.0.0.1:8/mcp', true],
  ['http://localhost:9/token', 'http://[::1]:8/mcp', true],
  ['http://127.0.0.1:9/token', 'https://a.test/mcp', false],
  ['https://localhost/token', 'https://a.test/mcp', false],
  ['https://localhost./token', 'https://a.test/mcp', false],
  ['https://0x7f.2/token', 'https://a.test/mcp', false],
  ['https://0/token', 'https://a.test/mcp', false],
  ['https://[::]/token', 'https://a.test/mcp', false],
  ['https://[::ffff:127.0.0.1]/token', 'https://a.test/mcp', false],
  ['https://[::ffff:10.0.0.1]/token', 'https://a.test/mcp', true],
  ['https://169.254.169.254/token', 'https://a.test/mcp', false],
  ['https://[fe80::1]/token', 'https://a.test/mcp', false],
  ['http://169.254.169.254/token', 'http://localhost/mcp', false],
  ['https://ann:pw@login.test/token', 'https://a.test/mcp', false],
  ['ftp://localhost/token', 'http://localhost/mcp', false],
  ['javascript:alert(1)', 'http://localhost/mcp', false],
])('%s may be used for the login of %s: %s', (address, server, safe) => {
  expect(isSafeFor(new URL(address), server)).toBe(safe);
});
