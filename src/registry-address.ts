import { isLoopback } from './loopback.ts';

/**
 * Why a registry of packages cannot be reached there, or null: its address stands on command lines, in files and in mcpd.lock, and what
 * comes from it is run. Pure.
 */
export function registryAddressFault(text: string): string | null {
  if (!URL.canParse(text)) return 'it is no address';
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'it is no address of the web';
  if (url.username !== '' || url.password !== '') return 'it holds a user or a password, which every program would see';
  if (url.protocol === 'http:' && !isLoopback(url))
    return 'it is reached without encryption: whoever is on the way could change what is run';
  return null;
}
