/** The revisions of MCP. No file outside src/protocol knows their strings. */

export const MODERN_REVISION = '2026-07-28';
export const LEGACY_REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'] as const;
export const NEWEST_LEGACY = LEGACY_REVISIONS[0];
/** What the specification takes a request by HTTP for that names no revision. */
export const UNNAMED_REVISION: LegacyRevision = '2025-03-26';
/** What mcpd serves, newest first: for `server/discover` and for the error about a revision it does not serve. */
export const SERVED_REVISIONS: readonly string[] = [MODERN_REVISION, ...LEGACY_REVISIONS];

export type LegacyRevision = (typeof LEGACY_REVISIONS)[number];

/** The revision that `initialize` answers: the host's own if mcpd knows it, else the newest with a handshake. */
export function negotiateLegacy(asked: unknown): LegacyRevision {
  return LEGACY_REVISIONS.find((revision) => revision === asked) ?? NEWEST_LEGACY;
}

export function isLegacyRevision(text: string): text is LegacyRevision {
  return LEGACY_REVISIONS.some((revision) => revision === text);
}

/** What a revision knows, as far as mcpd treats hosts and servers differently by it. */
export interface Features {
  /** An array of messages in one line, or in one body of HTTP. */
  batches: boolean;
  /** A server that completes arguments says so. */
  completionsDeclared: boolean;
  /** Content blocks of the type `audio`. */
  audio: boolean;
  /** Content blocks of the type `resource_link`. */
  resourceLinks: boolean;
  /** `structuredContent`: no such thing, an object, or any JSON. */
  structured: 'none' | 'object' | 'any';
  /** What a server may ask the person behind the host: nothing, by a form, or by sending him to an address too. */
  elicitation: 'none' | 'form' | 'form-and-url';
  /** The error that sends a person to an address before the call is made again. */
  urlElicitationError: boolean;
  /** Tools in sampling, and several content blocks in one of its messages. */
  samplingTools: boolean;
  /** Streams by HTTP begin with an event that has an id and no data, from which they can be resumed. */
  primedStreams: boolean;
  /** `tasks/…` as part of the protocol itself. */
  tasks: boolean;
}

/** Of a session that has named no revision nothing is known, so it is served as the newest with a handshake. */
export function featuresOf(revision: string | null): Features {
  return FEATURES.get(revision ?? NEWEST_LEGACY) ?? NEWEST_LEGACY_FEATURES;
}

// — internal —

const FIRST: Features = {
  batches: false,
  completionsDeclared: false,
  audio: false,
  resourceLinks: false,
  structured: 'none',
  elicitation: 'none',
  urlElicitationError: false,
  samplingTools: false,
  primedStreams: false,
  tasks: false,
};
const MARCH_2025: Features = { ...FIRST, batches: true, completionsDeclared: true, audio: true };
const JUNE_2025: Features = {
  ...MARCH_2025,
  batches: false,
  resourceLinks: true,
  structured: 'object',
  elicitation: 'form',
};
const NEWEST_LEGACY_FEATURES: Features = {
  ...JUNE_2025,
  elicitation: 'form-and-url',
  urlElicitationError: true,
  samplingTools: true,
  primedStreams: true,
  tasks: true,
};

const FEATURES: ReadonlyMap<string, Features> = new Map<string, Features>([
  ['2024-11-05', FIRST],
  ['2025-03-26', MARCH_2025],
  ['2025-06-18', JUNE_2025],
  [NEWEST_LEGACY, NEWEST_LEGACY_FEATURES],
  [MODERN_REVISION, { ...NEWEST_LEGACY_FEATURES, structured: 'any', urlElicitationError: false, tasks: false }],
]);
