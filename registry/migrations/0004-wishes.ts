/** What a person said last by `start` or `stop`, where the start mode says otherwise: up | down. It outlives a daemon that is killed. */
export const WISHES = `
  ALTER TABLE servers ADD COLUMN wish TEXT;
`;
