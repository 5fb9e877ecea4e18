import { stat } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { PackageKind } from '../../core/model.ts';
import { McpdError } from '../../errors.ts';

/** The programs by which packages of other kinds than npm are fetched and run: looked for, and never installed by mcpd. */

export interface Runtime {
  /** As on a command line: `uv`. */
  name: string;
  path: string;
}

/** The first of `names` that is on the PATH of `env`; null when none is. */
export async function findRuntime(names: readonly string[], env: NodeJS.ProcessEnv): Promise<Runtime | null> {
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '');
  const endings = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  for (const name of names) {
    for (const folder of folders) {
      for (const ending of endings) {
        const path = join(folder, name + ending);
        if (await isProgram(path)) return { name, path };
      }
    }
  }
  return null;
}

/** What installs uv, by the system: its makers' own words. */
export const UV_INSTALLS = {
  linux: 'curl -LsSf https://astral.sh/uv/install.sh | sh',
  darwin: 'brew install uv',
  win32: 'winget install --id=astral-sh.uv -e',
} as const;

/** What runs packages of that kind, for people; mcpd's own node runs the others. */
export function runtimeNames(kind: string): string {
  return Object.entries(RUNTIMES).find(([each]) => each === kind)?.[1].names ?? 'node';
}

/** Says which command installs what is missing. */
export function missingRuntime(kind: Exclude<PackageKind, 'npm' | 'mcpb'>, label: string, platform = process.platform) {
  const { names, installs } = RUNTIMES[kind];
  return new McpdError('COMMAND_NOT_FOUND', {
    what: `${label} needs ${names}`,
    why: `there is no ${names} on the PATH`,
    fix: installs[platform === 'darwin' || platform === 'win32' ? platform : 'linux'],
  });
}

// — internal —

const RUNTIMES = {
  pypi: {
    names: 'uv or Python 3',
    installs: UV_INSTALLS,
  },
  oci: {
    names: 'docker or podman',
    installs: {
      linux: 'sudo apt-get install podman (or dnf, pacman, zypper)',
      darwin: 'brew install podman && podman machine init && podman machine start',
      win32: 'winget install -e --id RedHat.Podman',
    },
  },
  git: {
    names: 'git',
    installs: {
      linux: 'sudo apt-get install git (or dnf, pacman, zypper)',
      darwin: 'xcode-select --install',
      win32: 'winget install -e --id Git.Git',
    },
  },
  nuget: {
    names: 'dnx, which comes with the .NET SDK 10',
    installs: {
      linux: 'curl -sSL https://dot.net/v1/dotnet-install.sh | bash -s -- --channel 10.0',
      darwin: 'brew install --cask dotnet-sdk',
      win32: 'winget install Microsoft.DotNet.SDK.10',
    },
  },
} as const;

async function isProgram(path: string): Promise<boolean> {
  try {
    const found = await stat(path);
    return found.isFile() && (process.platform === 'win32' || (found.mode & 0o111) !== 0);
  } catch {
    return false; // not there, or not to be read: no program for us either way
  }
}
