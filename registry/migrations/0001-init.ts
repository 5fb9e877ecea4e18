/**
 * Migrations are text in code, so that the one bundled daemon file carries them. A released one is never edited: the next change is
 * `0002-….ts`, added to the list in registry.ts.
 */
export const INIT = `
  CREATE TABLE servers (
    name        TEXT NOT NULL PRIMARY KEY,
    description TEXT NOT NULL,
    launch      TEXT NOT NULL,     -- JSON
    start       TEXT NOT NULL,     -- on-demand | always | manual
    enabled     INTEGER NOT NULL,
    limits      TEXT NOT NULL,     -- JSON
    source      TEXT NOT NULL,     -- JSON
    fingerprint TEXT NOT NULL,
    added_at    INTEGER NOT NULL   -- milliseconds since 1970
  );

  -- What is remembered of a server between runs. Valid while the fingerprint is the one of its server.
  CREATE TABLE memories (
    server           TEXT NOT NULL PRIMARY KEY REFERENCES servers (name) ON DELETE CASCADE,
    fingerprint      TEXT NOT NULL,
    era              TEXT NOT NULL,   -- legacy | modern
    protocol_version TEXT NOT NULL,
    server_info      TEXT NOT NULL,   -- JSON as the server sent it
    capabilities     TEXT NOT NULL,   -- JSON as the server sent it
    instructions     TEXT
  );

  CREATE TABLE lists (
    server   TEXT NOT NULL REFERENCES memories (server) ON DELETE CASCADE,
    kind     TEXT NOT NULL,           -- tools | prompts | resources | templates
    entries  TEXT NOT NULL,           -- raw JSON objects, with U+001E between them
    findings TEXT NOT NULL,           -- JSON array of texts
    PRIMARY KEY (server, kind)
  );

  -- No reference to servers: a name stays promised when its server goes, and is the same when it comes back.
  CREATE TABLE exposed_names (
    id      INTEGER PRIMARY KEY,      -- order of age
    kind    TEXT NOT NULL,            -- tool | prompt | uri | template
    exposed TEXT NOT NULL,
    server  TEXT NOT NULL,
    raw     TEXT NOT NULL,
    UNIQUE (kind, exposed)
  );

  -- Processes that were started and not yet seen to end: what the next daemon reaps.
  CREATE TABLE processes (
    instance   TEXT NOT NULL,
    generation INTEGER NOT NULL,
    nonce      TEXT NOT NULL,
    server     TEXT NOT NULL,
    pid        INTEGER NOT NULL,
    pgid       INTEGER NOT NULL,
    start_time TEXT NOT NULL,         -- as the system tells it: a pid alone may be somebody else's by now
    marker     TEXT NOT NULL,
    at         INTEGER NOT NULL,
    PRIMARY KEY (instance, generation, nonce)
  ) WITHOUT ROWID;
`;
