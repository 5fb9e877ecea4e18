import type { ComponentType } from 'preact';
import { CallsPage } from './calls/calls-page.tsx';
import { CatalogPage } from './catalog/catalog-page.tsx';
import type { PagePath } from './entries.ts';
import { HealthPage } from './health/health-page.tsx';
import { RecordingsPage } from './recordings/recordings-page.tsx';
import { ServersEntry } from './servers-entry.tsx';
import { SettingsPage } from './settings/settings-page.tsx';

/** `parts`: the rest of the address, `['weather', 'logs']`. */
export type Page = ComponentType<{ parts: readonly string[] }>;

/** What each entry of the navigation shows. */
export const PAGES: Record<PagePath, Page> = {
  servers: ServersEntry,
  catalog: CatalogPage,
  calls: CallsPage,
  recordings: RecordingsPage,
  health: HealthPage,
  settings: SettingsPage,
};
