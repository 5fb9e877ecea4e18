import { readFile } from 'node:fs/promises';
import { McpdError } from './errors.ts';
import { type KeyPlace, readSealed } from './sealed-file.ts';
import type { KeyPaths } from './secret-keys.ts';
import { parseSecrets } from './secrets-content.ts';
import { shellWord } from './shell-word.ts';

export interface SecretsPaths extends KeyPaths {
  plainSecrets: string;
}

/** `plain`: by an earlier version, and not encrypted yet. */
export type SecretsPlace = 'nothing' | 'plain' | KeyPlace;

/** Where secrets are kept, by the files alone, so that it is told without the daemon. Nothing is repaired. */
export async function secretsWhere(paths: SecretsPaths): Promise<{ kept: SecretsPlace; damage: McpdError | null }> {
  // Who may not read them is told by the check of their rights.
  const read = (path: string) => readFile(path, 'utf8').catch(() => null);
  const [sealedText, plainText] = await Promise.all([read(paths.secrets), read(paths.plainSecrets)]);
  if (plainText !== null)
    return { kept: 'plain', damage: parseSecrets(plainText) === null ? damaged(paths.plainSecrets) : null };
  if (sealedText === null) return { kept: 'nothing', damage: null };
  const sealed = readSealed(sealedText);
  return { kept: sealed?.place ?? 'file', damage: sealed === null ? damaged(paths.secrets) : null };
}

/** For people. */
export function whereText(kept: SecretsPlace, { secrets, secretKey, plainSecrets }: SecretsPaths): string {
  const encrypted = `secrets are kept encrypted in ${secrets}`;
  const texts: Record<SecretsPlace, string> = {
    nothing: 'no secrets are kept',
    plain: `secrets are kept in ${plainSecrets} and are not encrypted yet, which the next start of the daemon does`,
    keyring: `${encrypted}; their key is in the keyring of this system`,
    file: `${encrypted}; their key is in ${secretKey}, which only you can read`,
    variable: `${encrypted}; their key is given by MCPD_SECRET_KEY`,
  };
  return texts[kept];
}

export function damaged(path: string): McpdError {
  return new McpdError('SECRETS_DAMAGED', {
    what: `${path} is damaged`,
    why: 'it is not what mcpd writes; it was left as it is',
    fix: `repair it, or move it away (mv ${shellWord(path)} ${shellWord(`${path}.damaged`)}), then mcpd restart and give the secrets again`,
  });
}
