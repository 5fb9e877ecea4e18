/**
 * Which values are credentials, by the custom of their names or by their looks: they are masked in logs, and kept apart even where nobody
 * said that they are secret. Everything given by `--env` is kept in the secrets file, folders and greetings too; masking those would only
 * make logs unreadable.
 */

/** Names that hold credentials by custom. */
const CREDENTIAL =
  /(^|_)(TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|API_?KEY|ACCESS_?KEY|PRIVATE_?KEY|KEY|AUTH|AUTHORIZATION|COOKIE|PAT|DSN)(_|$)/i;
const CREDENTIAL_CAMEL = /(apiKey|accessKey|privateKey|token|secret|password)$/i;
/** Long, unbroken, of letters and digits mixed: a token by its looks. */
const RANDOM_LENGTH_MIN = 16;
const USER_INFO = /^[a-z][a-z0-9+.-]*:\/\/[^/\s]*:[^/\s]*@/i;

export function isConfidential(name: string, value: string): boolean {
  return isCredentialName(name) || USER_INFO.test(value) || looksRandom(value);
}

/**
 * Whether a value that is kept for a server is masked: it is unless it plainly is something else, since what nobody recognises may be a
 * password.
 */
export function isMasked(name: string, value: string): boolean {
  return isConfidential(name, value) || !ORDINARY.some((shape) => shape.test(value));
}

/** By custom: `API_KEY`, `accessToken`. */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL.test(name) || CREDENTIAL_CAMEL.test(name);
}

// — internal —

/** What settings are, and passwords hardly: under a name that says nothing of a credential. */
const ORDINARY: readonly RegExp[] = [
  /^[A-Za-z]{0,15}$/, // a word
  /^[\d.:,+-]{0,12}$/, // a number, a version, a date, a time
  /^(?:[/~]|\.{1,2}[/\\]|[A-Za-z]:[/\\])/, // a path
  /^[a-z][a-z0-9+.-]*:\/\/[^\s?#]*$/i, // an address without a query
  /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?::\d{1,5})?$|^localhost:\d{1,5}$/, // a host
  /^[A-Za-z][a-z]*(?:[._/-][A-Za-z0-9]{1,12}){1,3}$/, // a region, a locale, a model: en_US.UTF-8, us-east-1, Europe/Berlin
  /^--?[a-z-]+$/, // a flag
  /\s/, // a text
];

function looksRandom(value: string): boolean {
  if (value.length < RANDOM_LENGTH_MIN || /[\s/\\]/.test(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value) && !/^[a-z]+:\/\//i.test(value);
}
