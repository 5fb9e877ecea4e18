import type { ComponentType } from 'preact';
import type { PagePath } from './entries.ts';
import { ServersPage } from './servers/servers-page.tsx';
import { SettingsPage } from './settings/settings-page.tsx';

/** `parts`: the rest of the address, `['weather', 'logs']`. */
export type Page = ComponentType<{ parts: readonly string[] }>;

/** What each entry of the navigation shows. */
export const PAGES: Record<PagePath, Page> = {
  servers: ServersPage,
  settings: SettingsPage,
};
