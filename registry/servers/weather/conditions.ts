/** WMO weather interpretation codes (table 4677, the part that forecasts use), in words. */
const CONDITIONS: Readonly<Record<number, string>> = {
  0: 'clear sky',
  1: 'mainly clear',
  2: 'partly cloudy',
  3: 'overcast',
  45: 'fog',
  48: 'freezing fog',
  51: 'light drizzle',
  53: 'drizzle',
  55: 'dense drizzle',
  56: 'light freezing drizzle',
  57: 'dense freezing drizzle',
  61: 'light rain',
  63: 'rain',
  65: 'heavy rain',
  66: 'light freezing rain',
  67: 'heavy freezing rain',
  71: 'light snowfall',
  73: 'snowfall',
  75: 'heavy snowfall',
  77: 'snow grains',
  80: 'light rain showers',
  81: 'rain showers',
  82: 'violent rain showers',
  85: 'light snow showers',
  86: 'heavy snow showers',
  95: 'thunderstorm',
  96: 'thunderstorm with light hail',
  99: 'thunderstorm with heavy hail',
};

export function conditionOf(code: number): string {
  return CONDITIONS[code] ?? `conditions of WMO code ${code}`;
}

const POINTS = ['north', 'north-east', 'east', 'south-east', 'south', 'south-west', 'west', 'north-west'] as const;
const DEGREES_PER_POINT = 360 / POINTS.length;

/** Where the wind comes from, in words. `degrees` is clockwise from north; any number is taken modulo 360. */
export function windFrom(degrees: number): string {
  const point = Math.round((((degrees % 360) + 360) % 360) / DEGREES_PER_POINT) % POINTS.length;
  return POINTS[point] ?? 'north';
}
