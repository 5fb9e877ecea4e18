import { type Command, JSON_OPTION, ONE_SERVER } from '../command.ts';

/** What becomes of a server after it was installed. */
export const LIFE_COMMANDS: readonly Command[] = [
  {
    name: 'verify',
    group: 'servers',
    summary: 'Check a server up: handshakes, lists, schemas, how it ends; with a score and reasons.',
    usage: 'verify NAME [--json]',
    operands: ONE_SERVER,
    options: { json: JSON_OPTION },
    notes: ['It runs in fresh processes with an empty data folder. Exits with 5 when a check fails.'],
    examples: [['mcpd verify weather', '']],
    load: async () => (await import('../commands/verify.ts')).runVerify,
  },
];
