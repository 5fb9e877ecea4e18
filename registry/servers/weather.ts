import { serve } from './serve.ts';
import { createWeatherServer } from './weather/server.ts';
import { settingsFrom } from './weather/settings.ts';

const settings = settingsFrom(process.env);
serve(() => createWeatherServer(settings));
