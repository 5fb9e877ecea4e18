import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

// Builds dist/: the CLI with its lazily loaded chunks, the shim and the daemon as one CommonJS file each with their bytecode, the history
// thread, the program that asks the keyring, the bundled servers and the dashboard's page.

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8'));
const root = fileURLToPath(new URL('.', import.meta.url));
process.chdir(root);

const common = {
  // esbuild remembers the folder in which it was loaded, which may be another one.
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  mainFields: ['module', 'main'],
  minifySyntax: true,
  minifyWhitespace: true,
  legalComments: 'none',
  logLevel: 'warning',
  define: { MCPD_VERSION: JSON.stringify(version) },
  external: ['better-sqlite3', 'pm2', '@napi-rs/keyring', 'bufferutil', 'utf-8-validate', 'fsevents'],
};
// CommonJS packages inside an ES module ask for `require`.
const banner = {
  js: 'import{createRequire as __createRequire}from"node:module";const require=__createRequire(import.meta.url);',
};
// Parts that an idle daemon neither reads nor keeps in memory are files of their own: the SDK's part for logins, and what writes for
// Prometheus and an OTLP receiver.
const apart = {
  'src/auth/sdk.ts': 'login-sdk',
  'src/telemetry/prometheus.ts': 'prometheus',
  'src/telemetry/otlp.ts': 'otlp',
};
const partsApart = {
  name: 'parts apart',
  setup: ({ onResolve }) =>
    onResolve({ filter: /\/(?:sdk|prometheus|otlp)\.ts$/ }, ({ path }) => {
      const [, part] = Object.entries(apart).find(([file]) => file.endsWith(path.slice(1))) ?? [];
      return part === undefined ? undefined : { path: `./${part}.cjs`, external: true };
    }),
};
// The page fetches uPlot with its first plot: most visits need none.
const plotsApart = {
  name: 'plots apart',
  setup: ({ onResolve }) => onResolve({ filter: /\/plot-library\.ts$/ }, () => ({ path: './plot.js', external: true })),
};
const page = {
  ...common,
  minify: true,
  platform: 'browser',
  target: 'es2022',
  format: 'esm',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  outdir: 'dist/dashboard',
};
const esm = { ...common, format: 'esm', banner, outdir: 'dist', splitting: true, chunkNames: 'chunks/[name]-[hash]' };

rmSync('dist', { recursive: true, force: true });
await Promise.all([
  build({ ...esm, entryPoints: { mcpd: 'cli/main.ts' } }),
  build({
    ...common,
    format: 'cjs',
    minify: true,
    entryPoints: { stdio: 'cli/stdio/launcher.ts', shim: 'cli/stdio.ts', daemon: 'src/daemon/launcher.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
  }),
  build({
    ...common,
    format: 'cjs',
    minify: true,
    // A CommonJS program has no URL of its own.
    define: { ...common.define, 'import.meta.url': '__programUrl' },
    banner: { js: 'const __programUrl=require("node:url").pathToFileURL(__dirname+"/daemon-main.cjs").href;' },
    entryPoints: { 'daemon-main': 'src/daemon/main.ts' },
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
    plugins: [partsApart],
    // A program that runs from bytecode has `require` only.
    supported: { 'dynamic-import': false },
  }),
  ...Object.entries(apart).map(([file, part]) =>
    build({ ...common, format: 'cjs', minify: true, entryPoints: [file], outfile: `dist/${part}.cjs` }),
  ),
  build({
    ...esm,
    splitting: false,
    entryPoints: { 'history-worker': 'registry/history-worker.ts', keyring: 'src/keyring-program.ts' },
  }),
  build({
    ...esm,
    splitting: false,
    entryPoints: { 'servers/weather': 'registry/servers/weather.ts', 'servers/todo': 'registry/servers/todo.ts' },
  }),
  build({
    ...page,
    entryPoints: { main: 'dashboard/src/main.tsx' },
    plugins: [plotsApart],
  }),
  build({ ...page, entryPoints: { plot: 'dashboard/src/ui/plot-library.ts' } }),
]);
// Named after the script that imports its parts.
renameSync('dist/dashboard/main.css', 'dist/dashboard/style.css');
for (const file of ['index.html', 'icon.svg']) cpSync(`dashboard/${file}`, `dist/dashboard/${file}`);
checkFirstLoad(['index.html', 'icon.svg', 'style.css', 'main.js']);
for (const file of ['daemon-main.cjs', 'shim.cjs']) checkOneByte(file);
chmodSync('dist/mcpd.js', 0o755);
makeBytecode('shim', ['scripts/shim-bytecode.mjs', 'dist/shim.cjs', 'dist/shim.bytecode']);
// Bytecode is good for one set of options: these are DAEMON_HEAP_OPTIONS in src/limits.ts.
const heapOptions = ['--semi-space-growth-factor=1', '--heap-growing-percent=50'];
makeBytecode('daemon', ['scripts/daemon-bytecode.mjs', 'dist', 'dist/daemon-main.bytecode', ...heapOptions]);

/**
 * V8 keeps a source with one letter beyond Latin-1 in two bytes a letter: 1.4 MB more of an idle daemon. esbuild escapes those letters in
 * strings, not in regular expressions.
 */
function checkOneByte(file) {
  const [letter] = /[^\0-\xff]/u.exec(readFileSync(`dist/${file}`, 'utf8')) ?? [];
  if (letter !== undefined) throw new Error(`dist/${file} has "${letter}" outside of a string: write it as \\u…`);
}

/** What a visit fetches before it shows anything; a phone in a bad network still waits for it. */
function checkFirstLoad(files) {
  const bytes = files.reduce((sum, file) => sum + gzipSync(readFileSync(`dist/dashboard/${file}`)).length, 0);
  if (bytes > 100_000) throw new Error(`the first load of the page is ${bytes} bytes gzipped, and may be 100 000`);
}

/** By running it once, for a host that says this. Without bytecode (Windows, a system that forbids it) each start takes longer. */
function makeBytecode(name, script) {
  const says = ['initialize', 'notifications/initialized', 'tools/list', 'tools/call'].map((method, id) =>
    JSON.stringify({ jsonrpc: '2.0', ...(id === 1 ? {} : { id }), method, params: {} }),
  );
  const made = spawnSync(process.execPath, script, { input: says.join('\n'), timeout: 20_000 });
  if (made.status !== 0) console.warn(`mcpd: the ${name} has no bytecode and starts slower\n${made.stderr}`);
}
