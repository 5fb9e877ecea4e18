import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

export type Behaviour =
  | 'good'
  | 'broken'
  | 'busy'
  | 'page'
  | 'redirect'
  | 'nonsense'
  | 'odd'
  | 'flood'
  | 'reason'
  | 'silent'
  | 'gaps';

export interface OpenMeteoStandIn {
  origin: string;
  /** The environment that leads the weather server here. */
  env: NodeJS.ProcessEnv;
  /** Path and query of every request, oldest first. */
  requests: string[];
  /** How the forecast is answered from now on; the geocoder stays good. */
  behave(as: Behaviour): void;
  close(): Promise<void>;
}

/** A local stand-in for Open-Meteo. It knows two places, Turin and Paris (twice), and always the same weather. */
export function openMeteoStandIn(): Promise<OpenMeteoStandIn> {
  const requests: string[] = [];
  let behaviour: Behaviour = 'good';
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url ?? '/', 'http://stand-in');
    requests.push(url.pathname + url.search);
    if (url.pathname === '/v1/search') json(response, 200, geocoded(url.searchParams.get('name') ?? ''));
    else if (url.pathname === '/v1/forecast') FORECASTS[behaviour](url, response);
    else json(response, 404, { error: true, reason: 'Not Found' });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const origin = `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
      resolve({
        origin,
        env: { WEATHER_GEOCODING_URL: origin, WEATHER_FORECAST_URL: origin },
        requests,
        behave: (as) => {
          behaviour = as;
        },
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}

// — internal —

const PLACES = [
  {
    name: 'Turin',
    latitude: 45.07,
    longitude: 7.69,
    country: 'Italy',
    country_code: 'IT',
    admin1: 'Piedmont',
    timezone: 'Europe/Rome',
  },
  { name: 'Paris', latitude: 48.85, longitude: 2.35, country: 'France', country_code: 'FR', admin1: 'Île-de-France' },
  { name: 'Paris', latitude: 33.66, longitude: -95.56, country: 'United States', country_code: 'US', admin1: 'Texas' },
];

function geocoded(name: string): unknown {
  const results = PLACES.filter((place) => place.name.toLowerCase() === name.toLowerCase());
  return results.length > 0 ? { results, generationtime_ms: 0.4 } : { generationtime_ms: 0.4 };
}

const FORECASTS: Record<Behaviour, (url: URL, response: ServerResponse) => void> = {
  good: (url, response) => json(response, 200, url.searchParams.has('daily') ? daily(url) : current(url)),
  broken: (_url, response) => json(response, 503, { error: true, reason: 'overloaded' }),
  busy: (_url, response) =>
    json(response, 429, { error: true, reason: 'Minutely limit exceeded' }, { 'retry-after': '30' }),
  page: (_url, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end('<!doctype html><title>Please log in</title>');
  },
  redirect: (_url, response) => {
    response.writeHead(302, { location: 'http://login.hotel.example/?from=weather' }).end();
  },
  nonsense: (_url, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"current": {"time"');
  },
  odd: (_url, response) => json(response, 200, { current: 'sunny' }),
  flood: (_url, response) => json(response, 200, { padding: 'x'.repeat(2 * 1024 * 1024) }),
  reason: (_url, response) => json(response, 400, { error: true, reason: 'Latitude must be in range of -90 to 90°.' }),
  silent: () => {
    // Never answered: the connection stays open until the stand-in closes.
  },
  gaps: (url, response) =>
    json(response, 200, url.searchParams.has('daily') ? withoutSecondDay(url) : withoutExtras(url)),
};

function json(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

const degrees = (url: URL, celsius: number) =>
  url.searchParams.get('temperature_unit') === 'fahrenheit' ? celsius * 1.8 + 32 : celsius;

function current(url: URL) {
  return {
    timezone: 'Europe/Rome',
    current: {
      time: '2026-11-30T14:15',
      interval: 900,
      temperature_2m: degrees(url, 10),
      apparent_temperature: degrees(url, 5),
      relative_humidity_2m: 81,
      is_day: 1,
      precipitation: 0.2,
      weather_code: 61,
      wind_speed_10m: 7.5,
      wind_direction_10m: 44,
    },
  };
}

function daily(url: URL) {
  const days = Number(url.searchParams.get('forecast_days'));
  const each = <T>(value: (day: number) => T) => Array.from({ length: days }, (_, day) => value(day));
  return {
    timezone: 'Europe/Rome',
    daily: {
      time: each((day) => `2026-12-0${day + 1}`),
      weather_code: each((day) => [0, 3, 71][day % 3]),
      temperature_2m_max: each((day) => degrees(url, 10 + day)),
      temperature_2m_min: each((day) => degrees(url, day)),
      precipitation_sum: each((day) => day),
      precipitation_probability_max: each((day) => day * 10),
      wind_speed_10m_max: each(() => 12.5),
      sunrise: each((day) => `2026-12-0${day + 1}T07:45`),
      sunset: each((day) => `2026-12-0${day + 1}T16:50`),
    },
  };
}

function withoutExtras(url: URL) {
  const { timezone, current: all } = current(url);
  return {
    timezone,
    current: { time: all.time, temperature_2m: all.temperature_2m, weather_code: 12, wind_speed_10m: null },
  };
}

function withoutSecondDay(url: URL) {
  const { timezone, daily: all } = daily(url);
  const { time, weather_code, temperature_2m_min } = all;
  const temperature_2m_max = all.temperature_2m_max.map((value, day) => (day === 1 ? null : value));
  return { timezone, daily: { time, weather_code, temperature_2m_max, temperature_2m_min } };
}
