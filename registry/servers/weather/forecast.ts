import * as z from 'zod';
import { ToolFailure } from '../tool-failure.ts';
import { conditionOf } from './conditions.ts';
import type { Place } from './places.ts';
import type { Current, Forecast, Location, Unit, Units } from './schemas.ts';

const CURRENT_FIELDS = [
  'temperature_2m',
  'apparent_temperature',
  'relative_humidity_2m',
  'is_day',
  'precipitation',
  'weather_code',
  'wind_speed_10m',
  'wind_direction_10m',
];

const DAILY_FIELDS = [
  'weather_code',
  'temperature_2m_max',
  'temperature_2m_min',
  'precipitation_sum',
  'precipitation_probability_max',
  'wind_speed_10m_max',
  'sunrise',
  'sunset',
];

/** Models of remote regions leave values out: as null, or the whole member. */
const maybe = z.number().nullish();
const maybeEach = z.array(z.number().nullable()).optional();
const maybeTimes = z.array(z.string().nullable()).optional();

const CurrentAnswer = z.object({
  timezone: z.string(),
  current: z.object({
    time: z.string(),
    temperature_2m: z.number(),
    weather_code: z.number(),
    is_day: maybe,
    apparent_temperature: maybe,
    relative_humidity_2m: maybe,
    precipitation: maybe,
    wind_speed_10m: maybe,
    wind_direction_10m: maybe,
  }),
});

const DailyAnswer = z.object({
  timezone: z.string(),
  daily: z.object({
    time: z.array(z.string()),
    weather_code: z.array(z.number().nullable()),
    temperature_2m_max: z.array(z.number().nullable()),
    temperature_2m_min: z.array(z.number().nullable()),
    precipitation_sum: maybeEach,
    precipitation_probability_max: maybeEach,
    wind_speed_10m_max: maybeEach,
    sunrise: maybeTimes,
    sunset: maybeTimes,
  }),
});

/** The request for the weather at `place` now. */
export function currentRequest(endpoint: URL, place: Place, unit: Unit): URL {
  return request(endpoint, place, unit, { current: CURRENT_FIELDS.join() });
}

/** The request for `days` days at `place`, today included. */
export function dailyRequest(endpoint: URL, place: Place, unit: Unit, days: number): URL {
  return request(endpoint, place, unit, { daily: DAILY_FIELDS.join(), forecast_days: String(days) });
}

/** @throws {ToolFailure} the answer has an unknown shape. */
export function readCurrent(place: Place, unit: Unit, answer: unknown, host: string): Current {
  const parsed = CurrentAnswer.safeParse(answer);
  if (!parsed.success) throw unknownShape(host);
  const { current, timezone } = parsed.data;
  return {
    location: locationOf(place, timezone),
    units: unitsOf(unit),
    time: current.time,
    condition: conditionOf(current.weather_code),
    weather_code: current.weather_code,
    is_day: current.is_day !== 0,
    temperature: current.temperature_2m,
    feels_like: current.apparent_temperature ?? null,
    humidity_percent: current.relative_humidity_2m ?? null,
    precipitation: current.precipitation ?? null,
    wind_speed: current.wind_speed_10m ?? null,
    wind_direction_degrees: current.wind_direction_10m ?? null,
  };
}

/** Days without a temperature (the end of a model's range) are left out. @throws {ToolFailure} the answer has an unknown shape, or no day. */
export function readForecast(place: Place, unit: Unit, answer: unknown, host: string): Forecast {
  const parsed = DailyAnswer.safeParse(answer);
  if (!parsed.success) throw unknownShape(host);
  const { daily, timezone } = parsed.data;
  const days = daily.time.flatMap((date, at) => {
    const code = daily.weather_code[at] ?? null;
    const min = daily.temperature_2m_min[at] ?? null;
    const max = daily.temperature_2m_max[at] ?? null;
    if (code === null || min === null || max === null) return [];
    return {
      date,
      condition: conditionOf(code),
      weather_code: code,
      temperature_min: min,
      temperature_max: max,
      precipitation: daily.precipitation_sum?.[at] ?? null,
      precipitation_probability_percent: daily.precipitation_probability_max?.[at] ?? null,
      wind_speed_max: daily.wind_speed_10m_max?.[at] ?? null,
      sunrise: daily.sunrise?.[at] ?? null,
      sunset: daily.sunset?.[at] ?? null,
    };
  });
  if (days.length === 0) throw unknownShape(host);
  return { location: locationOf(place, timezone), units: unitsOf(unit), days };
}

// — internal —

function request(endpoint: URL, place: Place, unit: Unit, parts: Record<string, string>): URL {
  const url = new URL(endpoint);
  const query = {
    latitude: String(place.latitude),
    longitude: String(place.longitude),
    timezone: 'auto',
    ...parts,
    ...(unit === 'fahrenheit' && {
      temperature_unit: 'fahrenheit',
      wind_speed_unit: 'mph',
      precipitation_unit: 'inch',
    }),
  };
  for (const [key, value] of Object.entries(query)) url.searchParams.set(key, value);
  return url;
}

function unitsOf(unit: Unit): Units {
  return unit === 'fahrenheit'
    ? { temperature: '°F', wind_speed: 'mph', precipitation: 'inch' }
    : { temperature: '°C', wind_speed: 'km/h', precipitation: 'mm' };
}

function locationOf(place: Place, timezone: string): Location {
  const { name, latitude, longitude } = place;
  return { name, region: place.admin1 ?? null, country: place.country ?? null, latitude, longitude, timezone };
}

function unknownShape(host: string): ToolFailure {
  return new ToolFailure({ what: `${host} answered in a form that this version does not know` });
}
