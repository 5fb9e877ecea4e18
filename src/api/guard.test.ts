import { describe, expect, test } from 'vitest';
import { McpdError } from '../errors.ts';
import { judgeLocal, judgeWeb, type RequestFacts } from './guard.ts';

const PORT = 7077;
const TOKEN = 'the-right-token';
const SCRAPE = 'reads-the-metrics';
const HOST = `127.0.0.1:${PORT}`;

type Headers = [string, string][];

function facts(method: string, target: string, headers: Headers = [], upgrade = false): RequestFacts {
  return { method, target, rawHeaders: headers.flat(), upgrade };
}

/** The door, or the code of the refusal. */
function judge(method: string, target: string, headers: Headers = [['Host', HOST]], upgrade = false): string {
  return outcome(() =>
    judgeWeb(facts(method, target, headers, upgrade), { port: PORT, token: TOKEN, scrapeToken: SCRAPE }),
  );
}

function outcome(decide: () => string): string {
  try {
    return decide();
  } catch (thrown) {
    if (thrown instanceof McpdError) return thrown.code;
    throw thrown;
  }
}

const SIGNED: Headers = [
  ['Host', HOST],
  ['Authorization', `Bearer ${TOKEN}`],
];
const JSON_BODY: Headers = [...SIGNED, ['Content-Type', 'application/json']];

describe('the Host', () => {
  test('is one of three spellings of our address', () => {
    for (const host of [HOST, `localhost:${PORT}`, `[::1]:${PORT}`])
      expect(judge('GET', '/', [['Host', host]])).toBe('page');
  });

  test('is refused on the page, the API and the socket when it is anything else', () => {
    const strangers = [
      'evil.example',
      `evil.example:${PORT}`,
      '127.0.0.1',
      'localhost',
      `0.0.0.0:${PORT}`,
      `127.0.0.1:${PORT}.evil`,
    ];
    const tricks = [
      `u@127.0.0.1:${PORT}`,
      '127.0.0.1@evil.example',
      `127.1:${PORT}`,
      `LOCALHOST:${PORT}`,
      '',
      '127.0.0.1:1',
    ];
    for (const host of [...strangers, ...tricks]) {
      const headers: Headers = [
        ['Host', host],
        ['Authorization', `Bearer ${TOKEN}`],
      ];
      expect([host, judge('GET', '/', headers)]).toEqual([host, 'FORBIDDEN']);
      expect([host, judge('GET', '/api/servers', headers)]).toEqual([host, 'FORBIDDEN']);
      expect([host, judge('GET', '/ws', headers, true)]).toEqual([host, 'FORBIDDEN']);
    }
  });

  test('must be there, once', () => {
    expect(judge('GET', '/', [])).toBe('FORBIDDEN');
    const twice: Headers = [
      ['Host', HOST],
      ['host', 'evil.example'],
    ];
    expect(judge('GET', '/', twice)).toBe('FORBIDDEN');
  });
});

describe('a body', () => {
  const empty: Headers = [...SIGNED, ['Content-Length', '0']];

  test('comes with POST and PATCH only, on either listener', () => {
    for (const body of [
      ['Content-Length', '1'],
      ['Transfer-Encoding', 'chunked'],
    ] satisfies Headers) {
      for (const target of ['/', '/healthz', '/api/status'])
        expect(judge('GET', target, [...SIGNED, body])).toBe('REQUEST_INVALID');
      for (const method of ['GET', 'DELETE'])
        expect(outcome(() => judgeLocal(facts(method, '/api/servers/weather', [body])))).toBe('REQUEST_INVALID');
    }
    expect(judge('GET', '/api/status', empty)).toBe('api');
    expect(outcome(() => judgeLocal(facts('DELETE', '/api/servers/weather', empty)))).toBe('api');
  });
});

test('tokens of clients and secrets of servers are made, seen and taken away by the CLI alone', () => {
  for (const method of ['GET', 'POST', 'DELETE']) {
    for (const path of ['/api/tokens', '/api/tokens/inspector', '/api/secrets', '/api/secrets/weather']) {
      expect([method, path, judge(method, path, method === 'POST' ? JSON_BODY : SIGNED)]).toEqual([
        method,
        path,
        'FORBIDDEN',
      ]);
    }
  }
  for (const path of ['/api/tokens', '/api/secrets', '/api/secrets/weather?secret=KEY'])
    expect(outcome(() => judgeLocal(facts('GET', path, [])))).toBe('api');
});

describe('a web page of somebody else', () => {
  test('is known by its Origin', () => {
    const origins = [
      'https://evil.example',
      'null',
      `https://${HOST}`,
      'http://127.0.0.1:1',
      `http://${HOST}.evil.example`,
      `http://${HOST}/`,
    ];
    for (const origin of origins) {
      expect([origin, judge('GET', '/api/servers', [...SIGNED, ['Origin', origin]])]).toEqual([origin, 'FORBIDDEN']);
      expect([origin, judge('GET', '/ws', [...SIGNED, ['Origin', origin]], true)]).toEqual([origin, 'FORBIDDEN']);
      expect([origin, judge('GET', '/', [...SIGNED, ['Origin', origin]])]).toEqual([origin, 'FORBIDDEN']);
    }
    expect(judge('GET', '/api/servers', [...SIGNED, ['Origin', `http://localhost:${PORT}`]])).toBe('FORBIDDEN');
    const two: Headers = [...SIGNED, ['Origin', `http://${HOST}`], ['Origin', 'https://evil.example']];
    expect(judge('GET', '/api/servers', two)).toBe('FORBIDDEN');
  });

  test('is known by its Sec-Fetch-Site, but may link to the page', () => {
    for (const site of ['cross-site', 'same-site', 'x']) {
      expect(judge('GET', '/api/servers', [...SIGNED, ['Sec-Fetch-Site', site]])).toBe('FORBIDDEN');
    }
    expect(
      judge('GET', '/', [
        ['Host', HOST],
        ['Sec-Fetch-Site', 'cross-site'],
      ]),
    ).toBe('page');
  });

  test('our own page passes', () => {
    const own: Headers = [...JSON_BODY, ['Origin', `http://${HOST}`], ['Sec-Fetch-Site', 'same-origin']];
    expect(judge('POST', '/api/servers/weather/restart', own)).toBe('api');
    expect(judge('GET', '/ws', own, true)).toBe('socket');
  });
});

describe('a browser that comes back from an authorization server', () => {
  test('passes from any site, with GET, on this path and at this address alone', () => {
    const cross: Headers = [
      ['Host', HOST],
      ['Sec-Fetch-Site', 'cross-site'],
    ];
    expect(judge('GET', '/oauth/callback?code=1&state=2', cross)).toBe('callback');
    expect(judge('GET', '/oauth/callbacks', cross)).toBe('FORBIDDEN');
    expect(judge('GET', '/oauth/callback/', [['Host', HOST]])).toBe('ROUTE_UNKNOWN');
    expect(judge('POST', '/oauth/callback', JSON_BODY)).toBe('ROUTE_UNKNOWN');
    expect(judge('GET', '/oauth/callback', [['Host', 'evil.example']])).toBe('FORBIDDEN');
    expect(
      judge('GET', '/oauth/callback', [
        ['Host', HOST],
        ['Origin', 'https://evil.example'],
      ]),
    ).toBe('FORBIDDEN');
  });
});

describe('the token', () => {
  test('comes as one bearer and nowhere else', () => {
    const host: [string, string] = ['Host', HOST];
    expect(judge('GET', '/api/servers', SIGNED)).toBe('api');
    expect(judge('GET', `/api/servers?token=${TOKEN}`)).toBe('UNAUTHORIZED');
    for (const value of [
      `Basic ${TOKEN}`,
      TOKEN,
      `bearer ${TOKEN}`,
      `Bearer ${TOKEN} x`,
      `Bearer ${TOKEN}x`,
      'Bearer',
      'Bearer ',
    ]) {
      expect([value, judge('GET', '/api/servers', [host, ['Authorization', value]])]).toEqual([value, 'UNAUTHORIZED']);
    }
    expect(judge('GET', '/api/servers', [host, ['Cookie', `token=${TOKEN}`]])).toBe('UNAUTHORIZED');
    expect(judge('GET', '/api/servers', [...SIGNED, ['Authorization', 'Bearer x']])).toBe('UNAUTHORIZED');
  });

  test('is not needed for the page, for health and for giving a code', () => {
    expect(judge('GET', '/')).toBe('page');
    expect(judge('GET', '/main.js')).toBe('page');
    expect(judge('GET', '/healthz')).toBe('health');
    expect(
      judge('POST', '/api/session', [
        ['Host', HOST],
        ['Content-Type', 'application/json'],
      ]),
    ).toBe('session');
  });
});

describe('with the token a page', () => {
  test('may read, and start, stop, restart and enable', () => {
    for (const path of [
      '/api/status',
      '/api/servers',
      '/api/servers/weather',
      '/api/servers/weather/logs?follow=1',
      '/api/live',
    ]) {
      expect([path, judge('GET', path, SIGNED)]).toEqual([path, 'api']);
    }
    for (const command of ['start', 'stop', 'restart'])
      expect(judge('POST', `/api/servers/weather/${command}`, JSON_BODY)).toBe('api');
    expect(judge('PATCH', '/api/servers/weather', JSON_BODY)).toBe('api');
    expect(judge('POST', '/api/servers/weather/recording', JSON_BODY)).toBe('api');
    expect(judge('POST', '/api/servers/weather/recording/replay', JSON_BODY)).toBe('api');
    expect(judge('DELETE', '/api/servers/weather/recording', SIGNED)).toBe('api');
    for (const looking of ['tries', 'offer', 'completions'])
      expect(judge('POST', `/api/servers/weather/${looking}`, JSON_BODY)).toBe('api');
    expect(judge('POST', '/api/servers/weather/login', JSON_BODY)).toBe('api');
    expect(judge('POST', '/api/tries/t0123456789ab/answers/q1', JSON_BODY)).toBe('api');
  });

  test('may not add, change or remove what is run, nor stop the daemon, nor make codes', () => {
    const posts = [
      '/api/plans',
      '/api/servers',
      '/api/servers/add',
      '/api/declared',
      '/api/shutdown',
      '/api/codes',
      '/api/session/x',
    ];
    for (const path of posts) expect([path, judge('POST', path, JSON_BODY)]).toEqual([path, 'FORBIDDEN']);
    expect(judge('DELETE', '/api/servers/weather', SIGNED)).toBe('FORBIDDEN');
    expect(judge('PATCH', '/api/declared', JSON_BODY)).toBe('FORBIDDEN');
    expect(judge('POST', '/api/servers/weather/shutdown', JSON_BODY)).toBe('FORBIDDEN');
  });

  test('may look for newer versions and hold a server at its own, but fetch, take or bring back none', () => {
    expect(judge('GET', '/api/outdated', SIGNED)).toBe('api');
    expect(judge('POST', '/api/outdated', JSON_BODY)).toBe('api');
    expect(judge('POST', '/api/servers/weather/pin', JSON_BODY)).toBe('api');
    expect(judge('GET', '/api/servers/weather/update', SIGNED)).toBe('api');
    for (const word of ['update', 'update/agreement', 'rollback', 'lock', 'verify'])
      expect([word, judge('POST', `/api/servers/weather/${word}`, JSON_BODY)]).toEqual([word, 'FORBIDDEN']);
  });

  test('may ask for such a change, look and take back, but not say yes to itself', () => {
    expect(judge('POST', '/api/approvals', JSON_BODY)).toBe('api');
    expect(judge('GET', '/api/approvals/x1y2z3/events', SIGNED)).toBe('api');
    expect(judge('POST', '/api/approvals/x1y2z3/confirm', JSON_BODY)).toBe('api');
    expect(judge('DELETE', '/api/approvals/x1y2z3', SIGNED)).toBe('api');
    for (const word of ['accept', 'decline', 'code', 'confirm/accept']) {
      const path = `/api/approvals/x1y2z3/${word}`;
      expect([path, judge('POST', path, JSON_BODY)]).toEqual([path, 'FORBIDDEN']);
      expect(outcome(() => judgeLocal(facts('POST', path, [['Content-Type', 'application/json']])))).toBe('api');
    }
  });

  test('cannot hide a route behind its spelling', () => {
    const spellings = [
      '/api//shutdown',
      '/api/servers/../shutdown',
      '/api/%73hutdown',
      '//api/shutdown',
      '/api/shutdown/',
      '/api\\shutdown',
    ];
    for (const path of spellings) expect([path, judge('POST', path, JSON_BODY)]).toEqual([path, 'ROUTE_UNKNOWN']);
    expect(judge('POST', '/%61pi/shutdown', JSON_BODY)).toBe('ROUTE_UNKNOWN');
    expect(judge('POST', `http://${HOST}/api/shutdown`, JSON_BODY)).toBe('REQUEST_INVALID');
    expect(judge('GET', '/api/servers/..%2f..%2fconfig/logs', SIGNED)).toBe('ROUTE_UNKNOWN');
    expect(judge('GET', '/assets/../../../../etc/passwd', SIGNED)).toBe('ROUTE_UNKNOWN');
    expect(judge('GET', '/..%2f..%2fetc/passwd', SIGNED)).toBe('ROUTE_UNKNOWN');
  });
});

test('methods that are not ours are refused everywhere', () => {
  for (const method of ['OPTIONS', 'TRACE', 'HEAD', 'PUT', 'CONNECT', 'get']) {
    expect([method, judge(method, '/', SIGNED)]).toEqual([method, 'FORBIDDEN']);
    expect([method, judge(method, '/api/servers', SIGNED)]).toEqual([method, 'FORBIDDEN']);
    expect([method, outcome(() => judgeLocal(facts(method, '/api/servers')))]).toEqual([method, 'FORBIDDEN']);
  }
  expect(judge('POST', '/', JSON_BODY)).toBe('FORBIDDEN');
});

test('a body must be declared as JSON, on both listeners', () => {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/json; charset=utf-7',
    'application/jsonx',
  ];
  for (const type of types) {
    expect(judge('POST', '/api/servers/weather/start', [...SIGNED, ['Content-Type', type]])).toBe('REQUEST_INVALID');
    expect(outcome(() => judgeLocal(facts('POST', '/api/servers', [['Content-Type', type]])))).toBe('REQUEST_INVALID');
  }
  expect(judge('POST', '/api/servers/weather/start', SIGNED)).toBe('REQUEST_INVALID');
  expect(judge('POST', '/api/servers/weather/start', [...JSON_BODY, ['Content-Type', 'text/plain']])).toBe(
    'REQUEST_INVALID',
  );
  expect(
    judge('POST', '/api/servers/weather/start', [...SIGNED, ['content-type', 'Application/JSON; charset=UTF-8']]),
  ).toBe('api');
});

test('the socket file needs no token and may change everything', () => {
  const json: Headers = [['Content-Type', 'application/json']];
  expect(outcome(() => judgeLocal(facts('POST', '/api/servers', json)))).toBe('api');
  expect(outcome(() => judgeLocal(facts('DELETE', '/api/servers/weather')))).toBe('api');
  expect(outcome(() => judgeLocal(facts('GET', '/ws', [], true)))).toBe('socket');
});

describe('the figures for Prometheus', () => {
  const bearer = (token: string): Headers => [
    ['Host', HOST],
    ['Authorization', `Bearer ${token}`],
  ];

  test('are for whoever has the token of the page, or the one that is good for nothing else', () => {
    expect(judge('GET', '/metrics', SIGNED)).toBe('metrics');
    expect(judge('GET', '/metrics', bearer(SCRAPE))).toBe('metrics');
    expect(judge('GET', '/metrics')).toBe('UNAUTHORIZED');
    expect(judge('GET', '/metrics', bearer('wrong'))).toBe('UNAUTHORIZED');
    for (const path of ['/api/status', '/api/servers', '/api/telemetry', '/api/calls'])
      expect(judge('GET', path, bearer(SCRAPE))).toBe('UNAUTHORIZED');
  });

  test('are not for other sites, other names and other methods', () => {
    expect(judge('GET', '/metrics', [...SIGNED, ['Origin', 'http://evil.example']])).toBe('FORBIDDEN');
    expect(judge('GET', '/metrics', [...SIGNED, ['Sec-Fetch-Site', 'cross-site']])).toBe('FORBIDDEN');
    expect(judge('GET', '/metrics', [['Host', `evil.example:${PORT}`], ...bearer(SCRAPE).slice(1)])).toBe('FORBIDDEN');
    expect(judge('POST', '/metrics', JSON_BODY)).toBe('ROUTE_UNKNOWN');
    expect(judge('GET', '/metrics/', SIGNED)).toBe('ROUTE_UNKNOWN');
  });

  test('are on the socket for its owner, without a token', () => {
    expect(outcome(() => judgeLocal(facts('GET', '/metrics')))).toBe('metrics');
  });

  test('go where the command line says: a page can look, and neither change that nor get the token', () => {
    expect(judge('GET', '/api/telemetry', SIGNED)).toBe('api');
    expect(judge('POST', '/api/telemetry', JSON_BODY)).toBe('FORBIDDEN');
    expect(judge('DELETE', '/api/telemetry', SIGNED)).toBe('FORBIDDEN');
    expect(judge('POST', '/api/telemetry/token', JSON_BODY)).toBe('FORBIDDEN');
  });
});

test('a page may search MCP registries, and not say which: where servers come from decides what is run', () => {
  expect(judge('GET', '/api/search?query=x', SIGNED)).toBe('api');
  expect(judge('GET', '/api/registries', SIGNED)).toBe('api');
  expect(judge('POST', '/api/registries', JSON_BODY)).toBe('FORBIDDEN');
  expect(judge('DELETE', '/api/registries', SIGNED)).toBe('FORBIDDEN');
});
