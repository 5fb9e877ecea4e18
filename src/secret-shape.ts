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

/** By custom: `API_KEY`, `accessToken`. */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL.test(name) || CREDENTIAL_CAMEL.test(name);
}

// — internal —

function looksRandom(value: string): boolean {
  if (value.length < RANDOM_LENGTH_MIN || /[\s/\\]/.test(value)) return false;
  return /\d/.test(value) && /[A-Za-z]/.test(value) && !/^[a-z]+:\/\//i.test(value);
}
