import { CALL_OUTCOMES } from '../../src/core/model.ts';
import { type Command, JSON_OPTION, NO_OPERANDS } from '../command.ts';

export const TOOL_COMMANDS: readonly Command[] = [
  {
    name: 'tools',
    group: 'tools',
    summary: 'List the tools that hosts see.',
    usage: 'tools [NAME] [--refresh] [--json]',
    operands: { min: 0, max: 1, noun: "a server's name", complete: 'server' },
    options: {
      refresh: { kind: 'flag', help: 'start the server first, and read what it lists to hosts of every kind' },
      json: JSON_OPTION,
    },
    notes: [
      'Some tools are listed only to hosts that can be asked something: forms and links (elicitation), folders',
      '(roots), a model (sampling).',
    ],
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
    notes: [
      'key=value is typed by the schema of the tool; key:=json is taken as it is.',
      'A tool that asks back is told that nobody can be asked here; on the page of mcpd dashboard it can be answered.',
    ],
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
    usage: 'calls [NAME] [options]',
    operands: { min: 0, max: 1, noun: "a server's name", complete: 'server' },
    options: {
      host: { kind: 'value', value: 'NAME', help: 'of this host' },
      server: { kind: 'value', value: 'NAME', help: 'of this server, as NAME' },
      tool: { kind: 'value', value: 'TEXT', help: 'of tools, prompts or resources with this in their name' },
      outcome: {
        kind: 'value',
        value: 'HOW',
        help: 'that ended so',
        complete: ['failed', ...CALL_OUTCOMES],
      },
      since: { kind: 'value', value: 'DURATION', help: 'only of the last 10m, 2h, …' },
      slow: { kind: 'flag', help: 'those that took longest first' },
      limit: { kind: 'value', short: 'n', value: 'N', help: 'at most so many calls (default 50)' },
      id: { kind: 'value', value: 'ID', help: 'one call, with what it waited for' },
      json: JSON_OPTION,
    },
    notes: ['failed: all but ok and cancelled.'],
    examples: [
      ['mcpd calls weather', ''],
      ['mcpd calls --outcome failed --since 1h', ''],
      ['mcpd calls --slow -n 10', 'the slowest ten'],
    ],
    load: async () => (await import('../commands/calls.ts')).runCalls,
  },
  {
    name: 'record',
    group: 'tools',
    summary: 'Record the messages of a server, look at them, and ask them again.',
    usage: 'record list | record NAME [on|off|show|clear|save FILE] | record replay FILE|NAME',
    operands: { min: 1, max: 3, noun: "a server's name and on, off, show, clear or save", complete: 'server' },
    options: {
      for: { kind: 'value', value: 'DURATION', help: 'with on: off again after this time (default 1h)' },
      call: { kind: 'value', value: 'N', help: 'with replay: only the request with this number' },
      json: JSON_OPTION,
    },
    notes: [
      'Nothing is recorded unless it was switched on. Secrets are masked.',
      'It is in memory alone: a daemon that ends takes it along, and the next one says so.',
      'A replay asks a process of its own, with an empty data folder; what tools change elsewhere changes again.',
    ],
    examples: [
      ['mcpd record weather on --for 10m', ''],
      ['mcpd record list', 'what is recorded, or was until the daemon ended'],
      ['mcpd record weather save weather.json', 'a test case (docs/recordings.md)'],
      ['mcpd record replay weather.json', 'exit code 5 when an answer is another one'],
    ],
    load: async () => (await import('../commands/record.ts')).runRecord,
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
