/** First schema of history.db. Nothing here is the truth: a damaged file is put aside and begun anew. */
export const HISTORY_INIT = `
  CREATE TABLE calls (
    id             INTEGER PRIMARY KEY,   -- order of age
    at             INTEGER NOT NULL,      -- milliseconds since 1970
    session        TEXT NOT NULL,
    host           TEXT NOT NULL,
    server         TEXT NOT NULL,
    method         TEXT NOT NULL,
    target         TEXT NOT NULL,
    queued_ms      REAL NOT NULL,
    total_ms       REAL NOT NULL,
    outcome        TEXT NOT NULL,
    error_code     INTEGER,
    request_bytes  INTEGER NOT NULL,
    response_bytes INTEGER NOT NULL
  );
  CREATE INDEX calls_by_server ON calls (server);

  CREATE TABLE transitions (
    id         INTEGER PRIMARY KEY,
    at         INTEGER NOT NULL,
    server     TEXT NOT NULL,
    instance   TEXT NOT NULL,
    from_state TEXT NOT NULL,
    to_state   TEXT NOT NULL,
    reason     TEXT NOT NULL
  );
  CREATE INDEX transitions_by_server ON transitions (server);
`;
