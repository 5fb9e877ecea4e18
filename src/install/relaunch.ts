import { sep } from 'node:path';
import type { InstalledPackage, StdioLaunch } from '../core/model.ts';
import type { FetchedPackage } from './packages/source.ts';

/**
 * The launch of a server with the program of another version: its own arguments, folder and variables stay. Null when the launch does not
 * name the package in a way that can be replaced. Of a bundle the arguments
 * stay that its first manifest gave: for one of which nobody knows what a person gave. Pure.
 * @param folder where versions of this server are installed
 */
export function relaunched(
  launch: StdioLaunch,
  folder: string,
  old: InstalledPackage,
  { runnable, installed, folder: moved }: Pick<FetchedPackage, 'runnable' | 'installed' | 'folder'>,
): StdioLaunch | null {
  const inFolder = (word: string) => word.startsWith(`${folder}${sep}`);
  // A bundle runs in its own folder, which its arguments and variables may name too.
  if (moved !== undefined) {
    const { cwd } = launch;
    if (cwd === null || !inFolder(cwd)) return null;
    const inMoved = (text: string) => text.replaceAll(cwd, () => moved);
    const env = Object.entries(launch.env).map(([name, text]) => [name, inMoved(text)]);
    return {
      ...launch,
      command: runnable.command,
      args: launch.args.map(inMoved),
      cwd: moved,
      env: Object.fromEntries(env),
    };
  }
  // A program in the version's own folder: everything up to it belongs to the package.
  const program = launch.args.findLastIndex(inFolder);
  if (program !== -1 || inFolder(launch.command))
    return { ...launch, command: runnable.command, args: [...runnable.args, ...launch.args.slice(program + 1)] };
  // A program that is named by package and version (an image, a tool): that word alone is replaced.
  const names = (pack: InstalledPackage) => (word: string) =>
    word.startsWith(pack.identifier) &&
    (word.includes(pack.version) || (pack.integrity !== '' && word.includes(pack.integrity)));
  const fresh = runnable.args.find(names(installed));
  if (fresh === undefined || !launch.args.some(names(old))) return null;
  return { ...launch, args: launch.args.map((word) => (names(old)(word) ? fresh : word)) };
}
