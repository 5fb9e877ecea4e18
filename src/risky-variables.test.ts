import { expect, test } from 'vitest';
import { riskyVariables } from './risky-variables.ts';

test('variables that run other code are named with who sets them', () => {
  expect(riskyVariables(['CITY', 'LD_PRELOAD', 'node_options'], 'mcpd.json')).toEqual([
    'mcpd.json sets LD_PRELOAD, which can make the server run other code than its own',
    'mcpd.json sets node_options, which can make the server run other code than its own',
  ]);
});

test('whatever tells a linker what to load, or a package runner from where, is risky too, in any case of letters', () => {
  for (const name of ['LD_AUDIT', 'dyld_insert_libraries', 'npm_config_registry', 'UV_DEFAULT_INDEX', 'PIP_INDEX_URL'])
    expect(riskyVariables([name], 'mcpd.json')).toHaveLength(1);
  expect(
    riskyVariables(['PIPEDRIVE_TOKEN', 'UVICORN_PORT', 'UV_THREADPOOL_SIZE', 'LDAP_URL', 'API_KEY'], 'mcpd.json'),
  ).toEqual([]);
});
