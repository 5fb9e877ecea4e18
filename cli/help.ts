import type { Command, Option } from './command.ts';
import { padTo, widthOf } from './width.ts';

const GROUPS: readonly (readonly [group: Command['group'], title: string])[] = [
  ['servers', 'Servers'],
  ['tools', 'Tools and hosts'],
  ['daemon', 'The daemon'],
];

/** `mcpd --help`. */
export function mainHelp(commands: readonly Command[]): string {
  const groups = GROUPS.map(([group, title]) => {
    const rows = commands
      .filter((command) => command.group === group)
      .map((command): [string, string] => [command.name, command.summary]);
    return `${title}:\n${aligned(rows, 2)}`;
  });
  return [
    'mcpd runs your MCP servers and offers their tools to every AI host on this machine.',
    ...groups,
    'Every command has --help; every listing has --json. Exit codes: docs/cli-json.md.',
    `Examples:\n${aligned(
      [
        ['mcpd install weather', 'install a server from the catalog'],
        ['mcpd list', 'what is installed, and how it is'],
        ['mcpd logs weather -f', 'watch one of them'],
        ['mcpd doctor', 'when something is wrong'],
      ],
      2,
    )}`,
  ].join('\n\n');
}

/** `mcpd COMMAND --help`. */
export function commandHelp(command: Command): string {
  const options = Object.entries(command.options).map(([name, option]): [string, string] => [
    optionText(name, option),
    optionHelp(option),
  ]);
  return [
    command.summary,
    `Usage: mcpd ${command.usage}${command.alias === undefined ? '' : `\nAlso:  mcpd ${command.alias}`}`,
    ...(options.length === 0 ? [] : [`Options:\n${aligned(options, 2)}`]),
    ...(command.notes === undefined ? [] : [command.notes.join('\n')]),
    `Examples:\n${aligned(command.examples, 2)}`,
  ].join('\n\n');
}

// — internal —

function optionText(name: string, option: Option): string {
  const short = option.short === undefined ? '' : `-${option.short}, `;
  return `${short}--${name}${option.kind === 'flag' ? '' : ` ${option.value ?? 'VALUE'}`}`;
}

function optionHelp(option: Option): string {
  const choices = typeof option.complete === 'object' ? `${option.complete.join(', ')}; ` : '';
  return `${choices}${option.help}${option.kind === 'values' ? '; may be repeated' : ''}`;
}

function aligned(rows: readonly (readonly [string, string])[], indent: number): string {
  const width = Math.max(...rows.map(([left]) => widthOf(left)));
  return rows.map(([left, right]) => `${' '.repeat(indent)}${padTo(left, width)}  ${right}`.trimEnd()).join('\n');
}
