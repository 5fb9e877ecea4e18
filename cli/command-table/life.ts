import { type Command, JSON_OPTION, NO_OPERANDS, ONE_SERVER } from '../command.ts';

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
  {
    name: 'outdated',
    group: 'servers',
    summary: 'Show which installed packages have a newer version.',
    usage: 'outdated [--json]',
    operands: NO_OPERANDS,
    options: { json: JSON_OPTION },
    examples: [['mcpd outdated', '']],
    load: async () => (await import('../commands/update.ts')).runOutdated,
  },
  {
    name: 'update',
    group: 'servers',
    summary: 'Update servers: shows what a new version changes, and does it after a yes.',
    usage: 'update [NAME] [--to VERSION] [--yes]',
    operands: { min: 0, max: 1, noun: "a server's name", complete: 'server' },
    options: {
      to: { kind: 'value', value: 'VERSION', help: 'a version or a tag, also an older one' },
      'allow-scripts': { kind: 'flag', help: "run the package's install scripts (npm)" },
      yes: { kind: 'flag', short: 'y', help: 'agree to what is shown' },
      json: JSON_OPTION,
    },
    notes: ['The old version is kept until the new one has answered calls for a day: mcpd rollback NAME.'],
    examples: [
      ['mcpd update', 'all that are outdated and not pinned'],
      ['mcpd update memory --to 1.4.2', ''],
    ],
    load: async () => (await import('../commands/update.ts')).runUpdate,
  },
  {
    name: 'rollback',
    group: 'servers',
    summary: 'Go back to the version that the last update replaced.',
    usage: 'rollback NAME',
    operands: ONE_SERVER,
    options: { json: JSON_OPTION },
    examples: [['mcpd rollback memory', '']],
    load: async () => (await import('../commands/update.ts')).runRollback,
  },
  {
    name: 'pin',
    group: 'servers',
    summary: 'Hold a server at its version: update passes it over.',
    usage: 'pin NAME [--off]',
    operands: ONE_SERVER,
    options: { off: { kind: 'flag', help: 'let it go again' }, json: JSON_OPTION },
    examples: [
      ['mcpd pin memory', ''],
      ['mcpd pin memory --off', ''],
    ],
    load: async () => (await import('../commands/update.ts')).runPin,
  },
];
