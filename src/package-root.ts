import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The absolute folder of mcpd's own package: where `dist/` and `registry/catalog/` lie. Found by walking up to our package.json, since
 * bundled code runs from `dist/` or `dist/chunks/`, and source code from its own folder.
 */
export function packageRoot(from: string = fileURLToPath(import.meta.url)): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    if (isOurs(join(folder, 'package.json'))) return folder;
    if (folder === dirname(folder)) throw new RangeError(`no package.json of mcpd above ${from}`);
  }
}

// — internal —

function isOurs(file: string): boolean {
  if (!existsSync(file)) return false;
  const manifest: unknown = JSON.parse(readFileSync(file, 'utf8'));
  return typeof manifest === 'object' && manifest !== null && 'name' in manifest && manifest.name === 'mcpd';
}
