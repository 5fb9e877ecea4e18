import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { pathsOf } from '../paths.ts';
import { ecosystemText } from './ecosystem.ts';

test('whatever a path holds, it stays a value of the configuration', () => {
  const home = `/home/o'ann/"a"\\b\u2028\${x}`;
  const program = { paths: pathsOf(home), script: `${home}/daemon.cjs`, args: ['--x', '`y`'], env: {} };
  const module = { exports: { apps: [] as Record<string, unknown>[] } };
  runInNewContext(ecosystemText(program, '/usr/bin/node'), { module });
  expect(module.exports.apps).toHaveLength(1);
  expect({ ...module.exports.apps[0] }).toMatchObject({
    cwd: home,
    script: 'daemon.cjs',
    error_file: `${home}/start.log`,
    interpreter: '/usr/bin/node',
    wait_ready: true,
    treekill: false,
    pmx: false,
  });
});
