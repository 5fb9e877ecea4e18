import { serve, settingsOrLeave } from './serve.ts';
import { createWeatherServer } from './weather/server.ts';
import { settingsFrom } from './weather/settings.ts';

const settings = settingsOrLeave(() => settingsFrom(process.env));
serve(() => createWeatherServer(settings));
