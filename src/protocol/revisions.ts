/** The revisions of MCP. No file outside src/protocol knows their strings. */

export const MODERN_REVISION = '2026-07-28';
export const LEGACY_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const NEWEST_LEGACY = LEGACY_REVISIONS[0];
/** What mcpd serves, newest first: for `server/discover` and for the error about a revision it does not serve. */
export const SERVED_REVISIONS: readonly string[] = [MODERN_REVISION, ...LEGACY_REVISIONS];

export type LegacyRevision = (typeof LEGACY_REVISIONS)[number];

/** The revision that `initialize` answers: the host's own if mcpd knows it, else the newest with a handshake. */
export function negotiateLegacy(asked: unknown): LegacyRevision {
  return LEGACY_REVISIONS.find((revision) => revision === asked) ?? NEWEST_LEGACY;
}
