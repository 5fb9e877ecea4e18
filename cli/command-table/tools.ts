import { type Command, JSON_OPTION, NO_OPERANDS } from '../command.ts';

export const TOOL_COMMANDS: readonly Command[] = [
  {
    name: 'tools',
    group: 'tools',
    summary: 'List the tools that hosts see.',
    usage: 'tools [NAME] [--json]',
    operands: { min: 0, max: 1, noun: "a server's name", complete: 'server' },
    options: { json: JSON_OPTION },
    examples: [
      ['mcpd tools', ''],
      ['mcpd tools weather', ''],
    ],
    load: async () => (await import('../commands/list.ts')).runTools,
  },
  {
    name: 'call',
    group: 'tools',
    summary: 'Call a tool, as a host would.',
    usage: "call NAME__TOOL key=value…|--json '{…}' [--json]",
    operands: { min: 1, max: 200, noun: "a tool's name" },
    options: {
      args: { kind: 'value', value: 'JSON', help: 'all arguments as one JSON object' },
      json: { kind: 'flag', help: 'print the raw result; with an object behind it, that object is the arguments' },
    },
    notes: ['key=value is typed by the schema of the tool; key:=json is taken as it is.'],
    rewrite: argumentsOfJson,
    examples: [
      ['mcpd call weather__get_current_weather city=Turin', ''],
      ['mcpd call weather__get_current_weather --json \'{"city":"Turin"}\'', ''],
    ],
    load: async () => (await import('../commands/call.ts')).runCall,
  },
  {
    name: 'calls',
    group: 'tools',
    summary: 'List past calls: who called what, how long it took, how it ended.',
    usage: 'calls [NAME] [--lines N] [--json]',
    operands: { min: 0, max: 1, noun: "a server's name", complete: 'server' },
    options: {
      lines: { kind: 'value', short: 'n', value: 'N', help: 'at most so many calls (default 50)' },
      json: JSON_OPTION,
    },
    examples: [['mcpd calls weather', '']],
    load: async () => (await import('../commands/list.ts')).runCalls,
  },
  {
    name: 'sessions',
    group: 'tools',
    summary: 'List the connected hosts.',
    usage: 'sessions [--json]',
    operands: NO_OPERANDS,
    options: { json: JSON_OPTION },
    examples: [['mcpd sessions', '']],
    load: async () => (await import('../commands/list.ts')).runSessions,
  },
];

// — internal —

/** `--json {…}` gives arguments, which `parseArgs` cannot express for a flag: the object moves to `--args`. */
function argumentsOfJson(argv: readonly string[]): string[] {
  const rewritten: string[] = [];
  for (let i = 0; i < argv.length; i += 1) {
    const word = argv[i] ?? '';
    const next = argv[i + 1];
    if (word === '--') return [...rewritten, ...argv.slice(i)];
    if (word === '--json' && next?.trimStart().startsWith('{')) {
      rewritten.push(`--args=${next}`, '--json');
      i += 1;
    } else if (word.startsWith('--json=')) rewritten.push(`--args=${word.slice('--json='.length)}`, '--json');
    else rewritten.push(word);
  }
  return rewritten;
}
