import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildServers } from '../harness/bundled.ts';
import { freePort, type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { Host } from '../harness/host.ts';
import { textOf } from '../harness/message.ts';
import { connectOfficial, OFFICIAL_CLIENTS } from '../harness/official.ts';
import { type Behaviour, type OpenMeteoStandIn, openMeteoStandIn } from '../harness/open-meteo.ts';
import { until } from '../harness/until.ts';

let builds: TemporaryHome;
let command: [string, string];
let home: TemporaryHome;
let service: OpenMeteoStandIn;

beforeAll(async () => {
  builds = await temporaryHome();
  command = (await buildServers(builds.root)).weather;
});

afterAll(async () => {
  await builds.cleanup();
});

beforeEach(async () => {
  home = await temporaryHome();
  service = await openMeteoStandIn();
});

afterEach(async () => {
  await service.close();
  await home.cleanup();
});

async function connect(env: NodeJS.ProcessEnv = {}): Promise<Host> {
  const host = new Host(command, { env: { ...home.env, ...service.env, ...env }, cwd: home.root });
  await host.init();
  return host;
}

describe.each(OFFICIAL_CLIENTS)('through the official %s', (which) => {
  test('the weather of a city comes as text and as data', async () => {
    const host = await connectOfficial(which, command, { env: { ...home.env, ...service.env }, cwd: home.root });
    expect(host.era).toBe(which.endsWith('modern') ? 'modern' : 'legacy');
    const tools = await host.tools();
    expect(tools.map((tool) => [tool.name, tool.annotations?.['readOnlyHint']])).toEqual([
      ['get_current_weather', true],
      ['get_weather_forecast', true],
    ]);
    const now = await host.call('get_current_weather', { city: 'Turin' });
    expect(now.structuredContent).toMatchObject({
      condition: 'light rain',
      temperature: 10,
      units: { temperature: '°C' },
    });
    expect(textOf({ result: now })).toContain(
      'Turin, Piedmont, Italy, 2026-11-30 14:15 (Europe/Rome): light rain\n10 °C (feels like 5 °C)',
    );
    const forecast = await host.call('get_weather_forecast', { city: 'Paris, Texas', days: 2, unit: 'fahrenheit' });
    expect(forecast.structuredContent).toMatchObject({
      location: { region: 'Texas', latitude: 33.66 },
      units: { temperature: '°F', wind_speed: 'mph', precipitation: 'inch' },
      days: [
        { date: '2026-12-01', condition: 'clear sky', temperature_min: 32, temperature_max: 50 },
        { date: '2026-12-02', condition: 'overcast' },
      ],
    });
    await host.close();
  });
});

test('without a number of days the forecast has three, and more than seven are refused', async () => {
  const host = await connect();
  const forecast = await host.call('get_weather_forecast', { city: 'Turin' });
  expect(textOf(forecast).match(/^2026-12-0\d: /gm)).toHaveLength(3);
  const refused = await host.call('get_weather_forecast', { city: 'Turin', days: 8 });
  expect([refused.result?.isError, textOf(refused)]).toEqual([true, expect.stringContaining('days')]);
  await host.close();
});

test('values that the model of a region leaves out are null, and days without a temperature are left out', async () => {
  service.behave('gaps');
  const host = await connect();
  const now = await host.call('get_current_weather', { city: 'Turin' });
  expect(now.result?.structuredContent).toMatchObject({
    temperature: 10,
    feels_like: null,
    wind_speed: null,
    condition: 'conditions of WMO code 12',
  });
  const forecast = await host.call('get_weather_forecast', { city: 'Turin', days: 3 });
  expect(forecast.result?.structuredContent?.['days']).toHaveLength(2);
  await host.close();
});

test('an unknown place is a tool error with its name, and costs no request for a forecast', async () => {
  const host = await connect();
  const answer = await host.call('get_current_weather', { city: 'Xyzzy' });
  expect([answer.result?.isError, textOf(answer)]).toEqual([true, expect.stringContaining('No place called "Xyzzy"')]);
  expect(service.requests).toHaveLength(1);
  await host.close();
});

test.each<[Behaviour, string[]]>([
  ['broken', ['has a problem of its own (HTTP 503)', 'Try: again']],
  ['busy', ['refuses more requests', 'Try: again in 30 s']],
  ['page', ['did not answer with weather data', 'it sent a web page']],
  ['redirect', ['it redirects to login.hotel.example']],
  ['nonsense', ['what it sent is not JSON']],
  ['odd', ['in a form that this version does not know']],
  ['flood', ['sent more than 1048576 bytes']],
  ['reason', ['refused the request (HTTP 400)', 'Latitude must be in range']],
  ['silent', ['did not answer within 0.3 s', 'WEATHER_FORECAST_URL']],
])(
  'a service that is %s makes a tool error that names its host, and the next call is good again',
  async (behaviour, parts) => {
    const host = await connect({ WEATHER_TIMEOUT_MS: behaviour === 'silent' ? '300' : '' });
    service.behave(behaviour);
    const answer = await host.call('get_current_weather', { city: 'Turin' });
    expect(answer.result?.isError).toBe(true);
    for (const part of [new URL(service.origin).host, ...parts]) expect(textOf(answer)).toContain(part);
    service.behave('good');
    if (behaviour !== 'silent')
      expect((await host.call('get_current_weather', { city: 'Turin' })).result?.isError).toBeUndefined();
    await host.close();
  },
);

test('without a network the error names the host that could not be reached, and never the key in its address', async () => {
  const port = await freePort();
  const host = await connect({ WEATHER_GEOCODING_URL: `http://127.0.0.1:${port}/v1/search?apikey=hunter2` });
  const refused = textOf(await host.call('get_current_weather', { city: 'Turin' }));
  expect(refused).toContain(`Could not reach 127.0.0.1:${port}`);
  expect(refused).toContain('ECONNREFUSED');
  expect(refused).not.toContain('hunter2');
  await host.close();
  const elsewhere = await connect({ WEATHER_GEOCODING_URL: 'https://weather.invalid' });
  expect(textOf(await elsewhere.call('get_current_weather', { city: 'Turin' }))).toContain(
    'Could not reach weather.invalid',
  );
  await elsewhere.close();
});

test('a wrong setting ends the server at once with a line that names the variable', async () => {
  const host = new Host(command, { env: { ...home.env, WEATHER_FORECAST_URL: 'nowhere' }, cwd: home.root });
  expect((await host.exited).code).toBe(78);
  expect(host.stderr).toBe(
    'WEATHER_FORECAST_URL is not an http or https address\nTry: WEATHER_FORECAST_URL=https://api.open-meteo.com/v1/forecast\n',
  );
});

test.each([
  ['stdin ends', (host: Host) => host.close(), { code: 0, signal: null }],
  [
    'SIGTERM comes',
    (host: Host) => {
      host.kill('SIGTERM');
      return host.exited;
    },
    { code: null, signal: 'SIGTERM' },
  ],
] as const)(
  'when %s in the middle of a call it leaves, and has written nothing but protocol',
  async (_when, leave, exit) => {
    service.behave('silent');
    const host = await connect();
    const call = host.call('get_current_weather', { city: 'Turin' });
    const refused = expect(call).rejects.toThrow('the process has gone');
    await until('the request for the forecast', () => service.requests.length === 2);
    expect(await leave(host)).toEqual(exit);
    await refused;
    expect(host.noise).toEqual([]);
  },
);
