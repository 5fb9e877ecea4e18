/** Starts the fake server named by its first argument with inherited pipes, as `npx` does, and passes no signal on. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { record } from './base.mjs';

const [target = 'process', ...args] = process.argv.slice(2);
const file = fileURLToPath(new URL(`${target}.mjs`, import.meta.url));
const child = spawn(process.execPath, [file, ...args], { stdio: 'inherit' });
record('child', { child: child.pid });
child.on('exit', (code) => process.exit(code ?? 1));
