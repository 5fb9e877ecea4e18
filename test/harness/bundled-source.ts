import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { build } from 'esbuild';
import { packageRoot } from '../../src/package-root.ts';

/** Node 20 runs no TypeScript: what a test starts as a process or thread of its own is bundled first. Gives the file made in `folder`. */
export async function bundled(source: string, folder: string): Promise<string> {
  const outfile = join(folder, `${basename(source, '.ts')}.mjs`);
  await build({
    entryPoints: [join(packageRoot(), source)],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20.19',
    mainFields: ['module', 'main'],
    // CommonJS packages inside an ES module ask for `require`.
    banner: {
      js: "import { createRequire as requireFrom } from 'node:module'; const require = requireFrom(import.meta.url);",
    },
    plugins: [
      {
        // A native module stays where it is; from a temporary folder it is found by its absolute path only.
        name: 'native',
        setup: ({ onResolve }) => {
          const path = createRequire(import.meta.url).resolve('better-sqlite3');
          onResolve({ filter: /^better-sqlite3$/ }, () => ({ path, external: true }));
        },
      },
    ],
  });
  return outfile;
}
