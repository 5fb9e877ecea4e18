import { McpServer } from '@modelcontextprotocol/server';
import { VERSION } from '../serve.ts';
import { answering } from '../tool-failure.ts';
import { fetchJson } from './fetch-json.ts';
import { currentRequest, dailyRequest, readCurrent, readForecast } from './forecast.ts';
import { choosePlace, geocodingRequest, type Place } from './places.ts';
import { currentReport, forecastReport } from './report.ts';
import { Current, CurrentInput, Forecast, ForecastInput } from './schemas.ts';
import type { Settings } from './settings.ts';

/** The tools never change while a server runs. */
const LIST_TTL_MS = 24 * 60 * 60 * 1000;

const ANNOTATIONS = { readOnlyHint: true, openWorldHint: true, idempotentHint: true, destructiveHint: false };

/** Weather from Open-Meteo, which needs no key. Nothing is fetched before a tool is called. */
export function createWeatherServer(settings: Settings): McpServer {
  const server = new McpServer(
    { name: 'weather', title: 'Weather', version: VERSION },
    {
      capabilities: { tools: { listChanged: false } },
      cacheHints: { 'tools/list': { ttlMs: LIST_TTL_MS, cacheScope: 'public' } },
    },
  );
  const { geocodingUrl, forecastUrl } = settings;
  const get = (url: URL, cancelled: AbortSignal) => fetchJson(url, settings.timeoutMs, cancelled);
  const placeOf = async (city: string, cancelled: AbortSignal): Promise<Place> =>
    choosePlace(city, await get(geocodingRequest(geocodingUrl, city), cancelled), geocodingUrl.host);

  server.registerTool(
    'get_current_weather',
    {
      title: 'Current weather',
      description: 'The weather in a city now: temperature, conditions, humidity, precipitation and wind.',
      inputSchema: CurrentInput,
      outputSchema: Current,
      annotations: { title: 'Current weather', ...ANNOTATIONS },
    },
    ({ city, unit }, { mcpReq: { signal } }) =>
      answering(async () => {
        const place = await placeOf(city, signal);
        const current = readCurrent(
          place,
          unit,
          await get(currentRequest(forecastUrl, place, unit), signal),
          forecastUrl.host,
        );
        return { content: [{ type: 'text' as const, text: currentReport(current) }], structuredContent: current };
      }),
  );

  server.registerTool(
    'get_weather_forecast',
    {
      title: 'Weather forecast',
      description: 'The weather in a city for the next days, one entry per day, beginning with today.',
      inputSchema: ForecastInput,
      outputSchema: Forecast,
      annotations: { title: 'Weather forecast', ...ANNOTATIONS },
    },
    ({ city, days, unit }, { mcpReq: { signal } }) =>
      answering(async () => {
        const place = await placeOf(city, signal);
        const answer = await get(dailyRequest(forecastUrl, place, unit, days), signal);
        const forecast = readForecast(place, unit, answer, forecastUrl.host);
        return { content: [{ type: 'text' as const, text: forecastReport(forecast) }], structuredContent: forecast };
      }),
  );

  return server;
}
