import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, McpdError } from '../../errors.ts';
import type { ProjectWork } from './npm-project.ts';
import { workOf } from './pypi.ts';
import { pipInstall } from './pypi-pip.ts';
import { uvInstall } from './pypi-uv.ts';
import { programIn } from './python-programs.ts';
import type { ToolOptions } from './source.ts';

/** A folder with a pyproject.toml: built and installed into an environment beside it. */

/** What the project calls itself; null where there is no pyproject.toml, or none with a name. */
export async function pythonProjectName(folder: string): Promise<string | null> {
  try {
    return nameIn(await readFile(join(folder, 'pyproject.toml'), 'utf8'));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

/** Building runs the code of the project and of its build system. @throws McpdError PACKAGE_NEEDS_SCRIPTS */
export function checkMayBuild({ label, allowScripts }: Pick<ProjectWork, 'label' | 'allowScripts'>): void {
  if (allowScripts) return;
  throw new McpdError('PACKAGE_NEEDS_SCRIPTS', {
    what: `${label} must be built before it runs`,
    why: 'it is a project of Python, and building one runs its scripts; they run only when they are allowed',
    fix: 'if you trust it, mcpd install or mcpd update with --allow-scripts; if it is published on PyPI: mcpd install pypi:NAME',
  });
}

/** @returns the program. @throws McpdError COMMAND_NOT_FOUND, FETCH_FAILED, PACKAGE_NOT_RUNNABLE */
export async function installPythonProject(
  options: ToolOptions,
  { label, folder, signal, report }: ProjectWork,
  name: string,
  root: string,
): Promise<string> {
  const asked = { label, identifier: name, registry: null, runtimeArguments: [], allowScripts: true };
  const work = await workOf(options, asked, signal, report);
  const { programs } = await (work.isUv ? uvInstall : pipInstall)(work, folder, root);
  return programIn(programs, null, name);
}

// — internal —

/** Of `[project]`, or of Poetry's own table. */
function nameIn(text: string): string | null {
  let table = '';
  for (const line of text.split(/\r?\n/)) {
    const [, header] = /^\s*\[([^[\]]+)\]\s*(#.*)?$/.exec(line) ?? [];
    if (header !== undefined) table = header.trim();
    const [, name] = /^\s*name\s*=\s*["']([A-Za-z0-9][A-Za-z0-9._-]*)["']/.exec(line) ?? [];
    if (name !== undefined && (table === 'project' || table === 'tool.poetry')) return name;
  }
  return null;
}
