import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NAMES = ['weather', 'todo'] as const;

/** Builds the bundled servers into `folder`, as the real build does, and resolves with the command of each. */
export async function buildServers(folder: string): Promise<Record<(typeof NAMES)[number], [string, string]>> {
  await build({
    absWorkingDir: ROOT,
    entryPoints: Object.fromEntries(NAMES.map((name) => [name, `registry/servers/${name}.ts`])),
    outdir: folder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    mainFields: ['module', 'main'],
    external: ['better-sqlite3'],
    minify: true,
    define: { MCPD_VERSION: '"1.2.3-test"' },
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    logLevel: 'error',
  });
  // What stays outside the bundle is found as in an installed package: in a node_modules above it.
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  return { weather: [process.execPath, join(folder, 'weather.js')], todo: [process.execPath, join(folder, 'todo.js')] };
}
