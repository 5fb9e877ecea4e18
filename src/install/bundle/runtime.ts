import { execFile } from 'node:child_process';
import { RUNTIME_VERSION_MS } from '../../bundle-limits.ts';
import { McpdError } from '../../errors.ts';
import { OWN_NODE } from '../../own-places.ts';
import { showable } from '../../text.ts';
import { UV_INSTALLS } from '../packages/runtimes.ts';
import type { CommandFinding } from '../ports.ts';
import type { Manifest } from './manifest.ts';
import { named } from './refusal.ts';
import { satisfies } from './version-range.ts';

/** Whether this machine has what a bundle runs with. */

export interface Machine {
  platform: NodeJS.Platform;
  /** Of mcpd's own node, with or without a `v`. */
  nodeVersion: string;
  findCommand(command: string): Promise<CommandFinding>;
}

/**
 * The command that starts the bundle here: `python` where `python3` is meant, and the other way round.
 * @param command as `bundleProgram` says
 * @throws {McpdError} PACKAGE_NOT_RUNNABLE for another system or another version, COMMAND_NOT_FOUND with the command that installs it
 */
export async function usableCommand(
  manifest: Manifest,
  command: string,
  machine: Machine,
): Promise<{ command: string; warnings: string[] }> {
  checkPlatform(manifest, machine.platform);
  const { node, python } = manifest.runtimes;
  if (command === OWN_NODE)
    return {
      command,
      warnings: fitting('Node.js', machine.nodeVersion, node, 'start mcpd with another Node.js, then: mcpd restart'),
    };
  if (/[/\\]/.test(command)) return { command, warnings: [] };
  const found = await firstFound([command, ...(OTHER_NAMES[command] ?? [])], machine);
  if (found === null) throw missing(command, machine.platform);
  if (!PYTHON.test(command) || python === null) return { command: found.name, warnings: [] };
  const version = await versionOf(found.path);
  return {
    command: found.name,
    warnings: fitting('Python', version, python, installOf('python3', machine.platform) ?? 'install another Python'),
  };
}

// — internal —

const PYTHON = /^python3?$/;
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = { python: ['python3'], python3: ['python'] };

const PLATFORMS: Readonly<Record<string, string>> = { darwin: 'macOS', linux: 'Linux', win32: 'Windows' };

/** What installs a runtime, by its command and the system: the makers' own words. */
const INSTALLS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  python3: {
    linux: 'sudo apt install python3 (or the same of your distribution)',
    darwin: 'brew install python3',
    win32: 'winget install Python.Python.3.13',
  },
  uv: UV_INSTALLS,
};

function installOf(command: string, platform: NodeJS.Platform): string | null {
  const own = INSTALLS[PYTHON.test(command) ? 'python3' : command];
  return own?.[platform] ?? null;
}

function checkPlatform({ platforms }: Manifest, platform: NodeJS.Platform): void {
  if (platforms === null || platforms.includes(platform)) return;
  const nameOf = (one: string) => PLATFORMS[one] ?? one;
  throw new McpdError('PACKAGE_NOT_RUNNABLE', {
    what: `the bundle is not for ${nameOf(platform)}`,
    why: `it is for ${platforms.map((one) => showable(nameOf(one).slice(0, 40))).join(', ') || 'no system at all'}`,
    fix: 'look for another bundle of it, or for another package: mcpd search',
  });
}

/** @returns a warning where nobody can tell */
function fitting(label: string, version: string | null, range: string | null, fix: string): string[] {
  if (range === null) return [];
  const fits = version === null ? null : satisfies(version, range);
  if (fits === true) return [];
  if (fits === null)
    return [`the bundle wants ${label} ${named(range)}, and whether this one is in that range cannot be told`];
  throw new McpdError('PACKAGE_NOT_RUNNABLE', {
    what: `the bundle wants another ${label}`,
    why: `it wants ${named(range)}, and here is ${version}`,
    fix,
  });
}

async function firstFound(names: readonly string[], machine: Machine): Promise<{ name: string; path: string } | null> {
  for (const name of names) {
    const finding = await machine.findCommand(name);
    if (finding.kind === 'found') return { name, path: finding.path };
  }
  return null;
}

function missing(command: string, platform: NodeJS.Platform): McpdError {
  const install = installOf(command, platform);
  return new McpdError('COMMAND_NOT_FOUND', {
    what: `the bundle runs with ${named(command)}, which is not on the PATH`,
    fix: install === null ? 'install it, then again' : `${install}; then again`,
  });
}

/** Null where it does not say. */
function versionOf(path: string): Promise<string | null> {
  return new Promise((resolve) => {
    execFile(path, ['--version'], { timeout: RUNTIME_VERSION_MS }, (error, stdout, stderr) => {
      const text = /\d+\.\d+(\.\d+)?/.exec(`${stdout}${stderr}`)?.[0];
      resolve(error !== null || text === undefined ? null : text);
    });
  });
}
