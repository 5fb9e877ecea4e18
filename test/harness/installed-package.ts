import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { packageRoot } from '../../src/package-root.ts';

const SOURCES = ['src', 'cli', 'registry', 'dashboard', 'scripts', 'build.mjs', 'package.json', 'tsconfig.json'];

interface Manifest {
  version: string;
  files: string[];
  dependencies: Record<string, string>;
}

/**
 * Builds mcpd and lays it out in `folder` as npm would install it: what package.json lists as `files`, its dependencies, and nothing else.
 * So a file that is not published, or a package that is needed and only there for development, is missed here and not by a person.
 * `version` stands in for the one of package.json. Resolves with the folder of the package.
 */
export async function installedPackage(folder: string, version?: string): Promise<string> {
  const root = packageRoot();
  const modules = join(root, 'node_modules');
  const source = join(folder, 'source');
  for (const name of SOURCES) cpSync(join(root, name), join(source, name), { recursive: true });
  symlinkSync(modules, join(source, 'node_modules'));
  const file = join(source, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as Manifest;
  if (version !== undefined) writeFileSync(file, JSON.stringify({ ...manifest, version }));
  await promisify(execFile)(process.execPath, [join(source, 'build.mjs')]);

  const installed = join(folder, 'mcpd');
  for (const name of ['package.json', ...manifest.files]) {
    const from = [join(source, name), join(root, name)].find((path) => existsSync(path));
    if (from !== undefined) cpSync(from, join(installed, name), { recursive: true });
  }
  for (const name of Object.keys(manifest.dependencies)) {
    const link = join(installed, 'node_modules', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(modules, name), link);
  }
  return installed;
}
