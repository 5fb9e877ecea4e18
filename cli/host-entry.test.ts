import { expect, test } from 'vitest';
import { hostEntry, hostEntryLines } from './host-entry.ts';

test('the entry runs the shim with the very node that runs mcpd', () => {
  expect(hostEntry('/opt/node/bin/node', '/opt/mcpd/dist/', {})).toEqual({
    command: '/opt/node/bin/node',
    args: ['/opt/mcpd/dist/stdio.cjs'],
  });
});

test('a home that was given goes into the entry, because a host has not the variables of the shell', () => {
  const entry = hostEntry('/n', '/d', { MCPD_HOME: '/tmp/my home' });
  expect(entry.env).toEqual({ MCPD_HOME: '/tmp/my home' });
  expect(hostEntryLines(entry).claude).toBe("claude mcp add mcpd -e 'MCPD_HOME=/tmp/my home' -- /n /d/stdio.cjs");
});

test('the JSON to paste has the key mcpd and parses', () => {
  const entry = hostEntry('/n', '/d', {});
  expect(JSON.parse(hostEntryLines(entry).json.join('\n'))).toEqual({ mcpServers: { mcpd: entry } });
});
