import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { KeptAnswers } from '../../registry/official/kept-answers.ts';
import { McpRegistries } from '../../registry/official/registries.ts';
import { McpdError } from '../../src/errors.ts';
import { proxiesOf } from '../../src/proxy.ts';
import { fetchThrough } from '../../src/proxy-fetch.ts';
import {
  REGISTRY_FRESH_MS,
  REGISTRY_KEPT_MAX,
  REGISTRY_KEPT_MS,
  REGISTRY_PAGES_MAX,
} from '../../src/registry-limits.ts';
import { freePort } from '../harness/home.ts';
import {
  json,
  npmServer,
  type PublishedVersion,
  type RegistryFault,
  type RegistryStandIn,
  startMcpRegistry,
} from '../harness/mcp-registry.ts';

let folder: string;
let clock: number;
const standIns: RegistryStandIn[] = [];
const never = new AbortController().signal;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'mcpd-registry-'));
  clock = Date.parse('2026-11-30T12:00:00Z');
});

afterEach(async () => {
  for (const standIn of standIns.splice(0)) await standIn.close();
  rmSync(folder, { recursive: true, force: true });
});

async function standIn(...args: Parameters<typeof startMcpRegistry>): Promise<RegistryStandIn> {
  const started = await startMcpRegistry(...args);
  standIns.push(started);
  return started;
}

function registriesAt(...addresses: string[]): McpRegistries {
  return new McpRegistries(() => ({ addresses, from: 'settings', fault: null }), {
    fetch: fetchThrough(proxiesOf({})),
    kept: new KeptAnswers(join(folder, 'answers')),
    now: () => clock,
  });
}

function version(name: string, number: string, more: Partial<PublishedVersion> = {}): PublishedVersion {
  return {
    server: npmServer(name, number, `@acme/${name.split('/')[1]}`),
    publishedAt: '2026-01-01T00:00:00Z',
    ...more,
  };
}

async function faultOf(work: Promise<unknown>): Promise<McpdError> {
  const thrown = await work.then(
    () => undefined,
    (error: unknown) => error,
  );
  if (!(thrown instanceof McpdError)) throw new Error(`no McpdError but ${String(thrown)}`);
  return thrown;
}

const namesOf = ({ listings }: { listings: { listing: { name: string } }[] }) =>
  listings.map(({ listing }) => listing.name);

describe('a search', () => {
  test.each(['nextCursor', 'next_cursor'] as const)(
    'reads all pages, whose cursors only the registry understands (%s)',
    async (cursorName) => {
      const many = Array.from({ length: 7 }, (_, at) => version(`io.github.acme/weather-${at}`, '1.0.0'));
      const registry = await standIn([...many, version('io.github.acme/todo', '1.0.0')], { cursorName, pageMax: 3 });
      const found = await registriesAt(registry.address).search('weather', never);
      expect(namesOf(found)).toEqual(many.map(({ server }) => server.name));
      expect(found.askings).toMatchObject([{ at: clock, fault: null, hasMore: false, warnings: [] }]);
      expect(registry.requests).toHaveLength(3);
      for (const request of registry.requests)
        expect(request).toMatch(/^\/v0\.1\/servers\?version=latest&search=weather&limit=100/);
    },
  );

  test('ends at a bound of pages and at a cursor that comes again, and says so', async () => {
    const registry = await standIn();
    let page = 0;
    const endless: RegistryFault = (_, response) =>
      json(response, 200, {
        servers: [{ server: npmServer(`a/weather-${page}`, '1.0.0', 'x') }],
        metadata: { nextCursor: `c${page++}` },
      });
    registry.fault = endless;
    const found = await registriesAt(registry.address).search('weather', never);
    expect([namesOf(found).length, found.askings[0]?.hasMore]).toEqual([REGISTRY_PAGES_MAX, true]);
    registry.fault = (_, response) =>
      json(response, 200, {
        servers: [{ server: npmServer('a/wind', '1.0.0', 'x') }],
        metadata: { nextCursor: 'same' },
      });
    const circle = await registriesAt(registry.address).search('wind', never);
    expect(circle.askings[0]).toMatchObject({ hasMore: false, warnings: [expect.stringContaining('in a circle')] });
  });

  test('asks several registries, of which the first that has a name has the say, and one that fails fails nothing', async () => {
    const first = await standIn([version('io.github.acme/weather', '1.0.0')]);
    const second = await standIn([
      version('io.github.acme/weather', '9.0.0'),
      version('io.github.acme/weather-map', '1.0.0'),
    ]);
    const gone = `http://127.0.0.1:${await freePort()}`;
    const { listings, askings } = await registriesAt(first.address, second.address, gone).search('weather', never);
    expect(listings.map(({ listing, registry }) => [listing.name, listing.version, registry.address])).toEqual([
      ['io.github.acme/weather', '1.0.0', first.address],
      ['io.github.acme/weather-map', '1.0.0', second.address],
    ]);
    expect(askings.map(({ at, fault }) => [at === null, fault?.message ?? null])).toEqual([
      [false, null],
      [false, null],
      [true, `${new URL(gone).host} cannot be reached: ECONNREFUSED`],
    ]);
  });

  test('of nothing asks nothing', async () => {
    const registry = await standIn();
    expect(await registriesAt(registry.address).search('  ', never)).toEqual({ listings: [], askings: [] });
    expect(registry.requests).toEqual([]);
  });
});

describe('what a registry said', () => {
  test('is not asked again while it is fresh, serves with a warning when the registry cannot be asked, and no longer than its age allows', async () => {
    const registry = await standIn([version('io.github.acme/weather', '1.0.0')]);
    const registries = registriesAt(registry.address);
    await registries.resolve('io.github.acme/weather', null, never);
    await registries.resolve('io.github.acme/weather', null, never);
    expect(registry.requests).toHaveLength(1);

    clock += REGISTRY_FRESH_MS + 1;
    registry.fault = (_, response) => json(response, 503, { error: 'down for repairs' });
    const { listing, warnings } = await registries.resolve('io.github.acme/weather', null, never);
    expect(listing.version).toBe('1.0.0');
    const host = new URL(registry.address).host;
    expect(warnings).toEqual([
      `${host} answered with status 503: down for repairs; what ${host} said on 2026-11-30 is used`,
    ]);

    clock += REGISTRY_KEPT_MS;
    const fault = await faultOf(registries.resolve('io.github.acme/weather', null, never));
    expect(fault.report()).toMatchObject({ code: 'FETCH_FAILED', what: `${host} answered with status 503` });
  });

  test('is kept in files of the owner alone, which have no name of the asker’s choice; a damaged one counts as none', async () => {
    const registry = await standIn([version('io.github.acme/weather', '1.0.0')]);
    await registriesAt(registry.address).search('../../weather', never);
    const [file = '', ...others] = readdirSync(join(folder, 'answers'));
    expect([file, others]).toEqual([expect.stringMatching(/^[0-9a-f]{64}\.json$/), []]);
    expect(statSync(join(folder, 'answers', file)).mode & 0o777).toBe(0o600);
    writeFileSync(join(folder, 'answers', file), readFileSync(join(folder, 'answers', file), 'utf8').slice(0, 40));
    await registriesAt(registry.address).search('../../weather', never);
    expect(registry.requests).toHaveLength(2);
  });

  test('gives way when there is too much of it, and an answer that cannot be kept is an answer', async () => {
    const registry = await standIn([version('io.github.acme/weather', '1.0.0')]);
    const answers = join(folder, 'answers');
    mkdirSync(answers);
    for (let at = 0; at < REGISTRY_KEPT_MAX + 20; at++) writeFileSync(join(answers, `${at}.json`), '{}');
    await registriesAt(registry.address).search('weather', never);
    expect(readdirSync(answers)).toHaveLength(REGISTRY_KEPT_MAX);

    rmSync(answers, { recursive: true });
    writeFileSync(answers, 'a file in the place of the folder');
    const found = await registriesAt(registry.address).search('weather', never);
    expect(namesOf(found)).toEqual(['io.github.acme/weather']);
    expect(found.askings[0]?.warnings).toEqual([
      expect.stringMatching(/cannot be kept for when it is offline \(E[A-Z]+\)$/),
    ]);
  });

  test('that makes no sense is not kept', async () => {
    const registry = await standIn([version('io.github.acme/weather', '1.0.0')]);
    registry.fault = (_, response) => json(response, 200, { hello: 'there' });
    await faultOf(registriesAt(registry.address).resolve('io.github.acme/weather', '1.0.0', never));
    registry.fault = null;
    expect(
      (await registriesAt(registry.address).resolve('io.github.acme/weather', '1.0.0', never)).listing.version,
    ).toBe('1.0.0');
  });
});

describe('a version', () => {
  test('is the one that was asked for, or the newest; a deprecated one comes with the message', async () => {
    const registry = await standIn([
      version('io.github.acme/weather', '1.0.0+build', {
        isLatest: false,
        status: 'deprecated',
        statusMessage: 'use 2',
      }),
      version('io.github.acme/weather', '2.0.0'),
    ]);
    const registries = registriesAt(registry.address);
    expect((await registries.resolve('io.github.acme/weather', null, never)).listing.version).toBe('2.0.0');
    const old = await registries.resolve('io.github.acme/weather', '1.0.0+build', never);
    expect([old.listing.version, old.warnings]).toEqual(['1.0.0+build', ['version 1.0.0+build is deprecated: use 2']]);
    expect(registry.requests.at(-1)).toBe('/v0.1/servers/io.github.acme%2Fweather/versions/1.0.0%2Bbuild');
    const all = await old.registry.versions('io.github.acme/weather', never);
    expect(all.value.listings.map((listing) => listing.version)).toEqual(['2.0.0', '1.0.0+build']);
  });

  test('that was deleted is refused with the message of the registry and the newest that is not', async () => {
    const registry = await standIn([
      version('io.github.acme/weather', '1.0.0', { isLatest: false }),
      version('io.github.acme/weather', '2.0.0', { status: 'deleted', statusMessage: 'it stole keys' }),
    ]);
    for (const asked of [null, '2.0.0']) {
      const fault = await faultOf(registriesAt(registry.address).resolve('io.github.acme/weather', asked, never));
      expect(fault.report()).toMatchObject({
        code: 'PACKAGE_DELETED',
        why: 'it stole keys',
        fix: 'mcpd install io.github.acme/weather@1.0.0',
      });
    }
  });

  test('that is not there is refused with those that are; a server that is not there, too', async () => {
    const registry = await standIn([version('io.github.acme/weather', '1.0.0')]);
    const registries = registriesAt(registry.address);
    expect((await faultOf(registries.resolve('io.github.acme/weather', '3.0.0', never))).report()).toMatchObject({
      code: 'VERSION_UNKNOWN',
      why: 'it has 1.0.0',
      fix: 'mcpd install io.github.acme/weather@1.0.0',
    });
    expect((await faultOf(registries.resolve('io.github.acme/wether', null, never))).report()).toMatchObject({
      code: 'PACKAGE_UNKNOWN',
      fix: 'mcpd search wether',
    });
    expect((await faultOf(registriesAt().resolve('io.github.acme/weather', null, never))).message).toContain(
      'no MCP registry is asked',
    );
  });

  test('is not looked for in the next registry while the one before cannot be asked', async () => {
    const [first, second] = [await standIn(), await standIn([version('io.github.acme/weather', '1.0.0')])];
    const registries = registriesAt(first.address, second.address);
    expect((await registries.resolve('io.github.acme/weather', '1.0.0', never)).registry.address).toBe(second.address);
    first.fault = (_, response) => json(response, 500, {});
    const fault = await faultOf(registries.resolve('io.github.acme/weather', null, never));
    expect(fault.report()).toMatchObject({
      code: 'FETCH_FAILED',
      what: `${new URL(first.address).host} answered with status 500`,
    });
  });

  test('is found where a registry has no `latest` and says nothing of its own', async () => {
    const server = npmServer('com.acme/weather', '1.0.0', 'x');
    const registry = await standIn();
    registry.fault = (_, response, url) =>
      url.pathname.endsWith('/latest')
        ? json(response, 404, 'no such thing')
        : json(response, 200, { servers: [{ server }] });
    expect((await registriesAt(registry.address).resolve('com.acme/weather', null, never)).listing.version).toBe(
      '1.0.0',
    );
  });
});

describe('a registry that does not do its part', () => {
  const BIG = 'x'.repeat(9 * 1024 * 1024);
  // biome-ignore format: a table
  const faults: [string, RegistryFault, RegExp][] = [
    ['has too many questions', (_, response) => json(response, 429, { error: 'slow down' }, { 'retry-after': '30' }), /takes no more questions.*slow down \| again in 30 s$/],
    ['fails with any body', (_, response) => response.writeHead(500).end('\x1b[31mboom\0'), /status 500: .\[31mboom/],
    ['wants a login', (_, response) => json(response, 401, { error: 'who?' }), /status 401.*without a login/],
    ['is a page', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hotel'), /no JSON, but text\/html/],
    ['ends in the middle', (_, response) => response.writeHead(200, { 'content-length': '100' }).write('{"servers":', () => response.destroy()), /cannot be reached/],
    ['gives nothing', (_, response) => response.writeHead(200).end(), /no JSON/],
    ['hangs up', (request) => request.socket.destroy(), /cannot be reached: (UND_ERR_SOCKET|ECONNRESET)/],
    ['answers too much', (_, response) => response.writeHead(200).end(`{"servers":["${BIG}"]}`), /read up to 8 MiB/],
    ['answers with a bomb', (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(BIG.repeat(4))), /read up to 8 MiB/],
    ['leads elsewhere', (_, response) => response.writeHead(302, { location: 'http://169.254.169.254/x' }).end(), /on to http:\/\/169\.254\.169\.254, which mcpd does not follow/],
    ['leads to a file', (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(), /does not follow/],
    ['leads nowhere', (_, response) => response.writeHead(302).end(), /status 302 and no address/],
    ['leads in a circle', (_, response, url) => response.writeHead(302, { location: url.pathname }).end(), /redirects more than 3 times/],
  ];

  test.each(faults)('%s: said with its name, and nothing is kept', async (_, fault, expected) => {
    const registry = await standIn();
    registry.fault = fault;
    const error = await faultOf(registriesAt(registry.address).resolve('io.github.acme/weather', null, never));
    expect(error.code).toBe('FETCH_FAILED');
    expect(error.message).toContain(new URL(registry.address).host);
    expect(`${error.message} | ${error.parts.fix}`).toMatch(expected);
    expect(readdirSync(folder)).toEqual([]);
  });

  test('a redirect within it is followed', async () => {
    const registry = await standIn([version('io.github.acme/weather', '1.0.0')]);
    registry.fault = (_, response, url) => {
      registry.fault = null;
      response.writeHead(308, { location: url.pathname + url.search }).end();
    };
    expect((await registriesAt(registry.address).resolve('io.github.acme/weather', null, never)).listing.version).toBe(
      '1.0.0',
    );
  });

  test('one that never answers is left when whoever asked has gone', async () => {
    const registry = await standIn();
    const gone = new AbortController();
    registry.fault = () => gone.abort(new McpdError('INSTALL_CANCELLED', { what: 'called off' }));
    expect((await faultOf(registriesAt(registry.address).search('weather', gone.signal))).code).toBe(
      'INSTALL_CANCELLED',
    );
  });
});
