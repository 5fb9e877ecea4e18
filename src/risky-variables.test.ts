import { expect, test } from 'vitest';
import { riskyVariables } from './risky-variables.ts';

test('variables that run other code are named with who sets them', () => {
  expect(riskyVariables(['CITY', 'LD_PRELOAD', 'node_options'], 'mcpd.json')).toEqual([
    'mcpd.json sets LD_PRELOAD, which can make the server run other code than its own',
    'mcpd.json sets node_options, which can make the server run other code than its own',
  ]);
});
