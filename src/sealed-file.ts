import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { isRecord } from './secrets-content.ts';

/**
 * The encrypted file of secrets: JSON with a head that anybody may read (where the key is, and which one) and the sealed text. AES-256 in
 * Galois/counter mode (NIST SP 800-38D) with a new random 96-bit nonce for each write; the head is authenticated with it.
 */
export interface Sealed {
  place: KeyPlace;
  /** Of the key, 16 hexadecimal digits: names it in the keyring, and tells a wrong key from a damaged file. */
  keyId: string;
  nonce: Buffer;
  tag: Buffer;
  data: Buffer;
}

/** Where the key of the file is: in the system's keyring, in a file beside it, or in the variable MCPD_SECRET_KEY. */
export type KeyPlace = 'keyring' | 'file' | 'variable';

export interface Key {
  place: KeyPlace;
  id: string;
  /** KEY_BYTES long. */
  bytes: Buffer;
}

export const KEY_BYTES = 32;

export function seal(text: string, { place, id: keyId, bytes }: Key): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, bytes, nonce).setAAD(head(place, keyId));
  const data = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  const [n, t, d] = [nonce, cipher.getAuthTag(), data].map((part) => part.toString('base64'));
  return `${JSON.stringify({ version: VERSION, cipher: CIPHER, key: place, keyId, nonce: n, tag: t, data: d })}\n`;
}

/** Null when it is not what `seal` writes. */
export function readSealed(text: string): Sealed | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null; // the caller says which file is damaged
  }
  if (!isRecord(parsed) || parsed['version'] !== VERSION || parsed['cipher'] !== CIPHER) return null;
  const { key: place, keyId, nonce, tag, data } = parsed;
  if (place !== 'keyring' && place !== 'file' && place !== 'variable') return null;
  if (typeof keyId !== 'string' || !KEY_ID.test(keyId)) return null;
  if (typeof nonce !== 'string' || typeof tag !== 'string' || typeof data !== 'string') return null;
  const sealed = { place, keyId, nonce: bytesOf(nonce), tag: bytesOf(tag), data: bytesOf(data) } as const;
  return sealed.nonce.length === NONCE_BYTES && sealed.tag.length === TAG_BYTES ? sealed : null;
}

/** Null when the key is another one, or the file was changed. */
export function unseal({ place, keyId, nonce, tag, data }: Sealed, key: Buffer): string | null {
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES });
    decipher.setAAD(head(place, keyId)).setAuthTag(tag);
    return Buffer.concat([decipher.update(data), decipher.final()]).toString('utf8');
  } catch {
    return null; // the library only says that it does not fit; what that means depends on where the key came from
  }
}

/** 32 bytes as 64 hexadecimal digits or in base64; null for anything else. */
export function keyOfText(text: string): Buffer | null {
  const given = text.trim();
  if (/^[0-9a-f]{64}$/i.test(given)) return Buffer.from(given, 'hex');
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(given) ? Buffer.from(given, 'base64') : null;
}

// — internal —

const VERSION = 2;
const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const KEY_ID = /^[0-9a-f]{16}$/;

function head(place: KeyPlace, keyId: string): Buffer {
  return Buffer.from(`mcpd secrets ${VERSION} ${CIPHER} ${place} ${keyId}`);
}

function bytesOf(base64: string): Buffer {
  return Buffer.from(base64, 'base64');
}
