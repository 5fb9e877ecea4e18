import { join } from 'node:path';
import { expect, test } from 'vitest';
import { OWN_DIST, OWN_NODE, placed } from './own-places.ts';
import { packageRoot } from './package-root.ts';

test("a launch that names mcpd's own node and files runs with those of the mcpd that is running", () => {
  expect(placed({ command: OWN_NODE, args: [`${OWN_DIST}/servers/weather.js`, '--x'] })).toEqual({
    command: process.execPath,
    args: [join(packageRoot(), 'dist', 'servers', 'weather.js'), '--x'],
  });
});

test("what looks like a place in a person's own command stays as it is", () => {
  const launch = { command: 'sh', args: ['-c', `echo ${OWN_NODE}`, `${OWN_DIST}/x`] };
  expect(placed(launch)).toEqual(launch);
});
