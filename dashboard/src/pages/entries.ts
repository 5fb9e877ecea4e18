import type { IconName } from '../ui/icon.tsx';

interface PageEntry {
  /** First part of its address. */
  path: string;
  title: string;
  icon: IconName;
  /** The key after `g`. */
  shortcut: string;
}

/** Every page that there is, in the order of the navigation. */
export const ENTRIES = [
  { path: 'servers', title: 'Servers', icon: 'servers', shortcut: 's' },
  { path: 'catalog', title: 'Catalog', icon: 'catalog', shortcut: 'a' },
  { path: 'calls', title: 'Calls', icon: 'calls', shortcut: 'c' },
  { path: 'recordings', title: 'Recordings', icon: 'recordings', shortcut: 'r' },
  { path: 'health', title: 'Health', icon: 'health', shortcut: 'h' },
  { path: 'settings', title: 'Settings', icon: 'settings', shortcut: 'e' },
] as const satisfies readonly PageEntry[];

export type PagePath = (typeof ENTRIES)[number]['path'];
