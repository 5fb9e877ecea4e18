import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** One run of a fake program. */
interface ToolCall {
  /** `uv`, `docker`, …, or the program that a fake uv installed. */
  program: string;
  argv: string[];
  env: Record<string, string>;
}

/** Programs that fetch and run packages, as far as mcpd uses them: each notes what it was given, and does its part without a network. */
export interface FakeTools {
  folder: string;
  /** What was run, oldest first. */
  calls(): ToolCall[];
  forget(): void;
  /** Every container that an engine started, oldest first. It runs until it is removed by its id, however its client ends. */
  containers(): { id: string; isRunning: boolean }[];
  /** What is newest by now: of packages of PyPI and NuGet, and the digest of every image; `pulled`: by the time it is pulled; `fault`: why no digest is told. */
  publish(newest: { version?: string; digest?: string; pulled?: string; fault?: string }): void;
}

export type FakeTool = 'uv' | 'docker' | 'podman' | 'dnx' | 'dotnet';

/** The digest of every image. */
export const DIGEST = `sha256:${'d'.repeat(64)}`;
export const CONTAINER_ID = 'c0ffee'.repeat(10).padEnd(64, '0');

export function fakeTools(folder: string, tools: readonly FakeTool[]): FakeTools {
  mkdirSync(folder, { recursive: true });
  const record = join(folder, 'calls.jsonl');
  const containers = join(folder, 'containers.txt');
  for (const tool of tools) {
    writeFileSync(join(folder, tool), programText({ record, containers }, PARTS[tool]));
    chmodSync(join(folder, tool), 0o755);
  }
  return {
    folder,
    calls: () => linesOf(record).map((line) => JSON.parse(line) as ToolCall),
    forget: () => rmSync(record, { force: true }),
    containers: () => {
      const lines = linesOf(containers);
      const started = lines.filter((line) => line.startsWith('run ')).map((line) => line.slice('run '.length));
      return started.map((id) => ({ id, isRunning: !lines.includes(`rm ${id}`) }));
    },
    publish: (newest) => writeFileSync(join(folder, PUBLISHED), JSON.stringify(newest)),
  };
}

// — internal —

const PUBLISHED = 'published.json';

function linesOf(file: string): string[] {
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
}

function programText(files: { record: string; containers: string }, part: string): string {
  return `#!${process.execPath}
const fs = require('node:fs');
const path = require('node:path');
const argv = process.argv.slice(2);
const { record, containers } = ${JSON.stringify(files)};
fs.appendFileSync(record, JSON.stringify({ program: path.basename(process.argv[1]), argv, env: process.env }) + '\\n');
const published = path.join(path.dirname(record), ${JSON.stringify(PUBLISHED)});
const newest = fs.existsSync(published) ? JSON.parse(fs.readFileSync(published, 'utf8')) : {};
const fail = (text) => { console.error(text); process.exit(1); };
${SERVE}
/* part */
${part}
`;
}

/** A server with one tool. */
const SERVE = `
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
function serve() {
  require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
    const { id, method } = JSON.parse(line);
    if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'fake', version: '1' } });
    else if (method === 'tools/list') answer(id, { tools: [{ name: 'look', inputSchema: { type: 'object' } }] });
    else if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: 'seen' }] });
    else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
  });
}
`;

const ENGINE = `
if (argv[0] === 'run') {
  const id = require('node:crypto').randomBytes(32).toString('hex');
  fs.writeFileSync(argv[argv.indexOf('--cidfile') + 1], id, { flag: 'wx' });
  fs.appendFileSync(containers, 'run ' + id + '\\n');
  serve();
} else if (argv[0] === 'pull') {
  if (/missing/.test(argv[1])) fail('Error response from daemon: manifest for ' + argv[1] + ' not found: manifest unknown');
} else if (argv[0] === 'image') {
  console.log(JSON.stringify([argv.at(-1).replace(/[:@][^/]*$/, '') + '@' + (newest.pulled ?? newest.digest ?? '${DIGEST}')]));
} else if (argv[0] === 'buildx' && path.basename(process.argv[1]) === 'docker') {
  if (newest.fault && argv[1] === 'imagetools') fail(newest.fault);
  console.log(newest.digest ?? '${DIGEST}');
} else if (argv[0] === 'rm' && argv[1] === '--force') fs.appendFileSync(containers, 'rm ' + argv[2] + '\\n');
else fail('unknown command');
`;

const PARTS: Record<FakeTool, string> = {
  uv: `
if (argv[0] === 'pip') {
  const [name, version] = fs.readFileSync(argv[2], 'utf8').trim().split('==');
  if (name === 'nowhere') fail('  × No solution found when resolving dependencies:\\n  ╰─▶ Because nowhere was not found in the package registry');
  console.log(name + '==' + (version ?? newest.version ?? '9.9.9') + ' \\\\\\n    --hash=sha256:' + 'a'.repeat(64));
} else if (argv[0] === 'tool') {
  const isFolder = fs.existsSync(argv[2]);
  const name = isFolder ? /\\[project\\]\\nname = "(.*)"/.exec(fs.readFileSync(path.join(argv[2], 'pyproject.toml'), 'utf8'))[1] : argv[2].replace(/[\\[=].*/, '');
  if (name === 'source-only') fail('error: Failed to build: source-only has no usable wheels and building source distributions is disabled');
  fs.mkdirSync(process.env.UV_TOOL_BIN_DIR, { recursive: true });
  for (const program of name === 'two-programs' ? ['alpha', 'beta'] : [name === 'other-name' ? 'serve-other' : name]) {
    const own = fs.readFileSync(process.argv[1], 'utf8').split('/* part */')[0] + '/* part */\\nserve();\\n';
    fs.writeFileSync(path.join(process.env.UV_TOOL_BIN_DIR, program), own, { mode: 0o755 });
  }
} else fail('unknown command');
`,
  docker: ENGINE,
  podman: ENGINE,
  dnx: 'serve();',
  dotnet: `
console.log(JSON.stringify({ version: 2, searchResult: [{ sourceName: 'nuget.org', packages: [
  { id: argv[2], version: '1.0.0' }, { id: argv[2], version: newest.version ?? '1.1.0' }, { id: argv[2], version: '2.0.0-beta.1' },
] }] }));
`,
};
