import { ToolFailure } from '../tool-failure.ts';

const GEOCODING_URL = 'https://geocoding-api.open-meteo.com/v1/search';
const FORECAST_URL = 'https://api.open-meteo.com/v1/forecast';
/** One request: Open-Meteo answers in well under a second; a person waits this long at most, twice per call. */
const TIMEOUT_MS = 10_000;
const TIMEOUT_MS_MAX = 120_000;

export interface Settings {
  geocodingUrl: URL;
  forecastUrl: URL;
  /** For each of the two requests of a call. */
  timeoutMs: number;
}

/**
 * `WEATHER_GEOCODING_URL` and `WEATHER_FORECAST_URL` name a mirror or a stand-in: an origin alone, or the whole endpoint; a query in it
 * (the key of a paid plan) is kept. `WEATHER_TIMEOUT_MS` is for slow networks.
 * @throws {ToolFailure} a value is not usable; its message names the variable.
 */
export function settingsFrom(env: NodeJS.ProcessEnv): Settings {
  return {
    geocodingUrl: endpoint(env, 'WEATHER_GEOCODING_URL', GEOCODING_URL),
    forecastUrl: endpoint(env, 'WEATHER_FORECAST_URL', FORECAST_URL),
    timeoutMs: milliseconds(env, 'WEATHER_TIMEOUT_MS', TIMEOUT_MS),
  };
}

// — internal —

function endpoint(env: NodeJS.ProcessEnv, variable: string, standard: string): URL {
  const given = env[variable];
  if (given === undefined || given === '') return new URL(standard);
  if (!URL.canParse(given) || !/^https?:$/.test(new URL(given).protocol)) {
    throw new ToolFailure({ what: `${variable} is not an http or https address`, fix: `${variable}=${standard}` });
  }
  const url = new URL(given);
  if (url.pathname === '/') url.pathname = new URL(standard).pathname;
  return url;
}

function milliseconds(env: NodeJS.ProcessEnv, variable: string, standard: number): number {
  const given = env[variable];
  if (given === undefined || given === '') return standard;
  const value = Number(given);
  if (!Number.isInteger(value) || value < 1 || value > TIMEOUT_MS_MAX) {
    throw new ToolFailure({
      what: `${variable} is not a number of milliseconds up to ${TIMEOUT_MS_MAX}`,
      fix: `${variable}=${standard}`,
    });
  }
  return value;
}
