// `npm ci` builds. `npm ci --omit=dev` in a clone has no bundler: then there is nothing to build with, and nothing to do.
import { createRequire } from 'node:module';

try {
  createRequire(import.meta.url).resolve('esbuild');
} catch {
  console.log('mcpd: esbuild is not installed (--omit=dev), so dist/ is left as it is');
  process.exit(0);
}
await import('../build.mjs');
