import { McpdError } from '../../errors.ts';
import { showable } from '../../text.ts';

/** What a bundle does that no honest one does. @returns BUNDLE_UNSAFE */
export function unsafe(why: string): McpdError {
  return new McpdError('BUNDLE_UNSAFE', {
    what: 'the bundle was refused, and nothing of it was written',
    why,
    fix: 'ask its publisher for a bundle made by "mcpb pack", or install the server from elsewhere',
  });
}

/** What is wrong with a file that may have been meant well. @returns BUNDLE_INVALID */
export function invalid(why: string, fix = 'download it again; if it stays so, ask its publisher'): McpdError {
  return new McpdError('BUNDLE_INVALID', { what: 'the bundle cannot be read', why, fix });
}

/** A name from a bundle, for a message. */
export function named(name: string): string {
  return `"${showable(name.length <= NAME_SHOWN ? name : `${name.slice(0, NAME_SHOWN)}…`)}"`;
}

// — internal —

const NAME_SHOWN = 80;
