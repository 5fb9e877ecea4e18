import { readFileSync } from 'node:fs';
import { systemKeyring } from '../../src/keyring.ts';
import { pathsOf } from '../../src/paths.ts';
import { keyOfText, readSealed, unseal } from '../../src/sealed-file.ts';
import type { SecretSurroundings } from '../../src/secret-keys.ts';

/** Secrets are kept in files, and no keyring of this machine is asked. */
export function inFiles(): SecretSurroundings {
  return { env: { MCPD_SECRET_STORE: 'file' }, keyring: systemKeyring() };
}

/** What the encrypted file of a home holds, as text. Nothing is repaired, so that the daemon may run meanwhile. */
export function keptText(home: string): string {
  const { secrets, secretKey } = pathsOf(home);
  const sealed = readSealed(readFileSync(secrets, 'utf8'));
  const key = keyOfText(readFileSync(secretKey, 'utf8'));
  const text = sealed === null || key === null ? null : unseal(sealed, key);
  if (text === null) throw new RangeError(`${secrets} cannot be read`);
  return text;
}
