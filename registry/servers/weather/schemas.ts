import * as z from 'zod';

const DAYS_MAX = 7;
const CITY_LENGTH_MAX = 200;

const City = z
  .string()
  .trim()
  .min(1)
  .max(CITY_LENGTH_MAX)
  .describe(
    'Name of a place; a region or country may follow after a comma: "Turin", "Paris, Texas", "Springfield, Missouri, USA"',
  );
const Unit = z
  .enum(['celsius', 'fahrenheit'])
  .default('celsius')
  .describe('Unit of temperatures; fahrenheit also means mph and inches');

export type Unit = z.infer<typeof Unit>;

export const CurrentInput = z.object({ city: City, unit: Unit });

export const ForecastInput = z.object({
  city: City,
  days: z.int().min(1).max(DAYS_MAX).default(3).describe('How many days, today included'),
  unit: Unit,
});

const Location = z.object({
  name: z.string(),
  region: z.string().nullable(),
  country: z.string().nullable(),
  latitude: z.number(),
  longitude: z.number(),
  timezone: z.string().describe('The zone of all times in this answer'),
});

const Units = z.object({
  temperature: z.enum(['°C', '°F']),
  wind_speed: z.enum(['km/h', 'mph']),
  precipitation: z.enum(['mm', 'inch']),
});

export const Current = z.object({
  location: Location,
  units: Units,
  time: z.string().describe('Local time of the observation'),
  condition: z.string(),
  weather_code: z.number().describe('WMO code 4677'),
  is_day: z.boolean(),
  temperature: z.number(),
  feels_like: z.number().nullable(),
  humidity_percent: z.number().nullable(),
  precipitation: z.number().nullable(),
  wind_speed: z.number().nullable(),
  wind_direction_degrees: z.number().nullable(),
});

const ForecastDay = z.object({
  date: z.string(),
  condition: z.string(),
  weather_code: z.number().describe('WMO code 4677'),
  temperature_min: z.number(),
  temperature_max: z.number(),
  precipitation: z.number().nullable(),
  precipitation_probability_percent: z.number().nullable(),
  wind_speed_max: z.number().nullable(),
  sunrise: z.string().nullable(),
  sunset: z.string().nullable(),
});

export const Forecast = z.object({ location: Location, units: Units, days: z.array(ForecastDay) });

export type Current = z.infer<typeof Current>;
export type Forecast = z.infer<typeof Forecast>;
export type Location = z.infer<typeof Location>;
export type Units = z.infer<typeof Units>;
