import { windFrom } from './conditions.ts';
import type { Current, Forecast, Location } from './schemas.ts';

/** Open-Meteo's data are CC BY 4.0: whoever shows them says where they come from. */
const SOURCE = 'Weather data by Open-Meteo.com';

export function currentReport(current: Current): string {
  const { units } = current;
  const facts = [
    `${current.temperature} ${units.temperature}${current.feels_like === null ? '' : ` (feels like ${current.feels_like} ${units.temperature})`}`,
    current.humidity_percent !== null && `humidity ${current.humidity_percent} %`,
    current.wind_speed !== null &&
      `wind ${current.wind_speed} ${units.wind_speed}${direction(current.wind_direction_degrees)}`,
    current.precipitation !== null && `precipitation ${current.precipitation} ${units.precipitation}`,
  ].filter((fact) => fact !== false);
  return [
    `${placeName(current.location)}, ${current.time.replace('T', ' ')} (${current.location.timezone}): ${current.condition}`,
    facts.join(', '),
    SOURCE,
  ].join('\n');
}

export function forecastReport(forecast: Forecast): string {
  const { units } = forecast;
  const lines = forecast.days.map((day) => {
    const rain = day.precipitation === null ? '' : `, ${day.precipitation} ${units.precipitation}`;
    const chance =
      day.precipitation_probability_percent === null ? '' : ` (${day.precipitation_probability_percent} % chance)`;
    const wind = day.wind_speed_max === null ? '' : `, wind up to ${day.wind_speed_max} ${units.wind_speed}`;
    return `${day.date}: ${day.condition}, ${day.temperature_min} to ${day.temperature_max} ${units.temperature}${rain}${chance}${wind}`;
  });
  return [`${placeName(forecast.location)} (${forecast.location.timezone})`, ...lines, SOURCE].join('\n');
}

// — internal —

function placeName({ name, region, country }: Location): string {
  const parts = [name, region, country].filter((part) => part !== null && part !== '');
  return parts.filter((part, at) => parts.indexOf(part) === at).join(', ');
}

function direction(degrees: number | null): string {
  return degrees === null ? '' : ` from the ${windFrom(degrees)}`;
}
