/**
 * How published servers are called: `io.github.user/name`, in plain letters, so that no other letter can look like one of them, and with
 * nothing that a path would read as a step.
 */
export function isPublishedName(text: string): boolean {
  return text.length <= NAME_CHARS_MAX && NAME.test(text) && !text.includes('..');
}

/** One version of it, never a range: what may stand in an address, and mean no other. */
export function isPublishedVersion(text: string): boolean {
  return text !== '' && text.length <= VERSION_CHARS_MAX && VERSION.test(text) && text !== LATEST;
}

/** What registries call the newest version. */
export const LATEST = 'latest';

// — internal —

const NAME_CHARS_MAX = 200;
const VERSION_CHARS_MAX = 255;
/** As the schema has it, but for a dot or a hyphen at the begin: a hidden file, an option. */
const NAME = /^[a-zA-Z0-9][a-zA-Z0-9.-]*\/[a-zA-Z0-9_][a-zA-Z0-9._-]*$/;
/** Letters and what versions of the usual schemes have; no white space, no slash, no sign of a range or of a shell. */
const VERSION = /^[a-zA-Z0-9][a-zA-Z0-9._+-]*$/;
