import { join, posix, win32 } from 'node:path';

/** What the variables of a manifest stand for, as far as that is known before the bundle has a folder. */
export interface Places {
  userHome: string;
  platform: NodeJS.Platform;
}

/** Any variable; those that nobody knows stay as they are written. */
export const VARIABLE = /\$\{([^{}$]*)\}/;

/** The folder of the bundle: it stays in a plan, and is filled in when the folder is there. */
export const BUNDLE_FOLDER = '$' + '{__dirname}';

/** All variables but the folder and what a person gives, each once: what they stand for is not looked at again. */
export function filledPlaces(text: string, places: Places): string {
  return text.replace(new RegExp(VARIABLE, 'g'), (whole, name: string) => placeOf(name, places) ?? whole);
}

export function folderIn(text: string, folder: string): string {
  return text.replaceAll(BUNDLE_FOLDER, () => folder);
}

// — internal —

function placeOf(name: string, { userHome, platform }: Places): string | null {
  switch (name) {
    case 'HOME':
      return userHome;
    case 'DESKTOP':
      return join(userHome, 'Desktop');
    case 'DOCUMENTS':
      return join(userHome, 'Documents');
    case 'DOWNLOADS':
      return join(userHome, 'Downloads');
    case 'pathSeparator':
    case '/':
      return platform === 'win32' ? win32.sep : posix.sep;
    default:
      return null;
  }
}
