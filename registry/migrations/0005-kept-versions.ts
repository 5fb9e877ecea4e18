/**
 * The version of a server that an update replaced, until the new one has proved itself; and servers that a person holds at their version.
 * One kept version a server: both tables go with their server.
 */
export const KEPT_VERSIONS = `
  CREATE TABLE kept_versions (
    server      TEXT NOT NULL PRIMARY KEY REFERENCES servers (name) ON DELETE CASCADE,
    definition  TEXT NOT NULL,     -- JSON of the row of servers as it was
    memory      TEXT,              -- JSON; null where nothing was remembered
    replaced_at INTEGER NOT NULL,  -- milliseconds since 1970
    proved_at   INTEGER            -- of the version that took its place: when it first answered a call well
  );
  CREATE TABLE pins (
    server TEXT NOT NULL PRIMARY KEY REFERENCES servers (name) ON DELETE CASCADE
  );
`;
