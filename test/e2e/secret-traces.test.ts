import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { DaemonClient } from '../../src/control/client.ts';
import { pathsOf } from '../../src/paths.ts';
import { fake } from '../harness/fake.ts';
import { test } from '../harness/machine.ts';
import { keptText } from '../harness/secrets.ts';
import { until } from '../harness/until.ts';

const SECRET = 'tr0ub4dor/&+3xample="ü\\x y?end0fIt';
/** Given by `${env:NAME}`. */
const VARIABLE = 'gho_16C7e42F292c6912E7/710c+838347Ae178B4a';

/** Pieces of a value that no file and no answer may hold: of its plain form, and of what base64 makes of it at each offset. */
function traces(value: string): string[] {
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((offset) => Buffer.concat([Buffer.alloc(offset, 'a'), bytes]).toString('base64'));
  const pieces = base64.flatMap((text) => [text.slice(4, 16), text.slice(-20, -8)]);
  return [...value.split(/[^A-Za-z0-9]+/).filter((word) => word.length >= 6), ...pieces];
}

const TRACES = [...traces(SECRET), ...traces(VARIABLE)];

function found(text: string): string[] {
  return TRACES.filter((trace) => text.includes(trace) || text.replaceAll('\\', '').includes(trace));
}

test('after an install, calls, refusals, crashes, recordings, tries and an export nothing that mcpd wrote or answers has a secret in any form', async ({
  machine,
}) => {
  const { home } = machine;
  const profile = join(home.userHome, '.profile');
  writeFileSync(profile, `export LOGIN_TOKEN='${VARIABLE}'\n`);
  await machine.startDaemon();
  const env = ['--env', `API_TOKEN=${SECRET}`];
  await machine.ok('add', 'careless', ...env, '--', ...fake('careless'));
  await machine.ok('add', 'borrower', '--env', `API_TOKEN=\${env:LOGIN_TOKEN}`, '--', ...fake('careless'));
  const daemon = new DaemonClient(pathsOf(home.mcpdHome));
  const shown: [what: string, text: string][] = [];
  const saw = (what: string, value: unknown) => shown.push([what, JSON.stringify(value)]);

  const host = await machine.connected();
  for (const server of ['careless', 'borrower']) {
    await machine.ok('record', server, 'on');
    const watching = new AbortController();
    const protocol: unknown[] = [];
    const watched = (async () => {
      for await (const line of daemon.lines(
        'GET',
        `/api/servers/${server}/logs?follow=1&protocol=1`,
        undefined,
        watching.signal,
      ))
        protocol.push(line);
    })();
    // The host gets every byte of it.
    const value = server === 'careless' ? SECRET : VARIABLE;
    expect(JSON.stringify(await host.call(`${server}__tell`))).toContain(JSON.stringify(value).slice(1, -1));
    expect(JSON.stringify(await host.call(`${server}__refuse`))).toContain('cannot use');
    expect(JSON.stringify(await host.call(`${server}__crash`))).toContain('error');
    await until('its end', async () => (await machine.server(server)).lastExit !== null);
    saw(`status of ${server} after the crash`, await machine.server(server));
    await machine.cli('start', server);
    for (const name of ['tell', 'refuse', 'crash']) {
      const events = daemon.lines('POST', `/api/servers/${server}/tries`, { kind: 'tool', name }, watching.signal);
      for await (const event of events) saw(`try of ${name}`, event);
      await machine.cli('start', server);
    }
    watching.abort();
    await watched;
    expect(protocol.length).toBeGreaterThan(10);
    saw('followed log', protocol);
    await machine.ok('record', server, 'save', join(home.root, `${server}.recording.json`));
    // A start that fails, with the secret as its last words.
    const fails = `process.stderr.write('bad key ' + process.env.API_TOKEN + '\\n', () => process.exit(3))`;
    const failing = await machine.cli('add', `${server}-2`, ...env, '--', process.execPath, '-e', fails);
    expect(failing.code).not.toBe(0);
    saw('failing install', failing.stdout + failing.stderr);
  }

  const paths = [
    ...['status', 'health', 'sessions', 'processes', 'servers', 'figures', 'tools', 'calls?limit=100', 'recordings'],
    ...['declared', 'secrets', 'tokens', 'telemetry', 'approvals', 'catalog'],
    ...['careless', 'borrower'].flatMap((server) =>
      [
        '',
        '/logs?lines=1000',
        '/figures',
        '/offer',
        '/recording',
        '/recording/frames?limit=100',
        '/recording/file',
      ].map((path) => `servers/${server}${path}`),
    ),
  ];
  for (const path of paths)
    saw(`GET /api/${path}`, await daemon.request('GET', `/api/${path}`).catch((error: unknown) => String(error)));
  for (const args of [
    ['export'],
    ['doctor'],
    ['list'],
    ['info', 'careless'],
    ['calls'],
    ['ps', '--tree'],
    ['logs', 'careless'],
    ['secret', 'list'],
  ]) {
    const { stdout, stderr } = await machine.cli(...args);
    saw(args.join(' '), stdout + stderr);
  }
  writeFileSync(join(home.root, 'exported.json'), await machine.ok('export'));

  for (const [what, text] of shown) expect(found(text), what).toEqual([]);
  expect(JSON.stringify(shown)).toContain('***');
  await machine.ok('down');
  const traced = readdirSync(home.root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => found(readFileSync(file, 'latin1')).length > 0);
  expect(traced).toEqual([profile]);
  expect(keptText(home.mcpdHome)).toContain(JSON.stringify(SECRET).slice(1, -1));
  expect(keptText(home.mcpdHome)).not.toContain(VARIABLE);
});
