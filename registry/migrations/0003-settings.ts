/** What was set for mcpd as a whole, and belongs to no server. `value` is JSON, whose shape is known to whoever reads it. */
export const SETTINGS = `
  CREATE TABLE settings (
    name  TEXT PRIMARY KEY,
    value TEXT NOT NULL
  ) STRICT;
`;
