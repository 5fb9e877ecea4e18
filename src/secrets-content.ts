import { createHash } from 'node:crypto';

/** What is secret, by whose it is: server → name → value. Names are plain names whatever they mean to JavaScript. */
export type SecretsContent = ReadonlyMap<string, ReadonlyMap<string, string>>;

export interface SecretsText {
  content: SecretsContent;
  /** Hash of the plain file whose secrets are among these; null when there was none. */
  taken: string | null;
}

export function printSecrets({ content, taken }: SecretsText): string {
  const secrets = Object.fromEntries([...content].map(([server, values]) => [server, Object.fromEntries(values)]));
  return `${JSON.stringify({ version: VERSION, secrets, ...(taken === null ? {} : { taken }) })}\n`;
}

/** Null when it is not what `printSecrets` writes. Parse errors are not passed on: they quote the text, and the text is secret. */
export function parseSecrets(text: string): SecretsText | null {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return null; // the caller says which file is damaged; the parser's words would show a piece of it
  }
  if (!isRecord(parsed) || parsed['version'] !== VERSION || !isRecord(parsed['secrets'])) return null;
  const content = new Map<string, Map<string, string>>();
  for (const [server, values] of Object.entries(parsed['secrets'])) {
    if (!isRecord(values)) return null;
    const map = new Map<string, string>();
    for (const [name, value] of Object.entries(values)) {
      if (typeof value !== 'string') return null;
      map.set(name, value);
    }
    content.set(server, map);
  }
  return { content, taken: typeof parsed['taken'] === 'string' ? parsed['taken'] : null };
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** All of both; where both have a name, `later` counts. */
export function mergedContent(earlier: SecretsContent, later: SecretsContent): SecretsContent {
  const merged = new Map(earlier);
  for (const [server, values] of later) merged.set(server, new Map([...(earlier.get(server) ?? []), ...values]));
  return merged;
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

// — internal —

const VERSION = 1;
