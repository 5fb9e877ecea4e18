/**
 * Which hosts share a process of a server, what a server lists to clients that can do more, and the clients that may come in by HTTP.
 * `variants` is JSON: an array of `{declared, lists: {kind, entries, findings}[]}`. `digest` is sha-256 (hex) of a client's token.
 */
export const SHARING = `
  ALTER TABLE servers ADD COLUMN sharing TEXT NOT NULL DEFAULT 'auto';
  ALTER TABLE memories ADD COLUMN variants TEXT NOT NULL DEFAULT '[]';
  ALTER TABLE memories ADD COLUMN calls_back INTEGER NOT NULL DEFAULT 0;
  CREATE TABLE clients (
    name     TEXT PRIMARY KEY,
    digest   TEXT NOT NULL UNIQUE,
    added_at INTEGER NOT NULL
  ) STRICT;
`;
