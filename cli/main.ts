#!/usr/bin/env node
import { createRequire } from 'node:module';

/**
 * The entry, `dist/mcpd.js`. A host waits for `mcpd stdio`, so that one is handed to the small CommonJS file beside this one before
 * anything else of the CLI is read.
 */
const typed = process.argv[2];
const wantsHelp = process.argv[3] === '--help' || process.argv[3] === '-h';
if (typed === 'stdio' && !wantsHelp) {
  // The shim sees its own command line, as if a host had run the file directly.
  process.argv.splice(2, 1);
  createRequire(import.meta.url)('./stdio.cjs');
} else {
  const { runProcess } = await import('./process.ts');
  await runProcess(new URL('.', import.meta.url));
}
