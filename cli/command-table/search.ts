import { type Command, JSON_OPTION } from '../command.ts';

export const SEARCH_COMMANDS: readonly Command[] = [
  {
    name: 'search',
    group: 'servers',
    summary: 'Search the catalog of servers, and the MCP registry.',
    usage: 'search [WORD…] [--catalog] [--json]',
    operands: { min: 0, max: 20, noun: 'a word' },
    options: {
      catalog: { kind: 'flag', help: 'only the catalog that comes with mcpd; asks nobody' },
      json: JSON_OPTION,
    },
    examples: [
      ['mcpd search', 'the whole catalog'],
      ['mcpd search database', 'the catalog, then the MCP registry'],
    ],
    load: async () => (await import('../commands/search.ts')).runSearch,
  },
  {
    name: 'registries',
    group: 'servers',
    summary: 'Show and set which MCP registries are asked for servers.',
    usage: 'registries [add URL [--first]|remove URL|reset] [--json]',
    operands: { min: 0, max: 2, noun: 'add, remove or reset', complete: ['add', 'remove', 'reset'] },
    options: {
      first: { kind: 'flag', help: 'ask it before the others' },
      json: JSON_OPTION,
    },
    notes: [
      'They are asked in this order, and the first that knows a name has the say. Without a setting it is what',
      'MCPD_REGISTRIES of the daemon says (addresses by commas, or none), else the official one.',
    ],
    examples: [
      ['mcpd registries', ''],
      ['mcpd registries add https://mcp.example.com --first', 'that of your company'],
      ['mcpd registries reset', 'the official one again'],
    ],
    load: async () => (await import('../commands/registries.ts')).runRegistries,
  },
];
