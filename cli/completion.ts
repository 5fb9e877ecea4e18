import { McpdError } from '../src/errors.ts';
import { shellWord } from '../src/shell-word.ts';
import type { Command, Option } from './command.ts';

/** The completion script of a shell, made from the table of commands. Names of servers come from `mcpd list --names`. */
export function completionScript(shell: string, commands: readonly Command[]): string {
  const write = Object.hasOwn(SHELLS, shell) ? SHELLS[shell] : undefined;
  if (write !== undefined) return write(commands);
  throw new McpdError('USAGE', {
    what: `mcpd completion knows no shell ${shell}`,
    why: 'it knows bash, zsh and fish',
    fix: 'mcpd completion bash',
  });
}

// — internal —

const SHELLS: Record<string, (commands: readonly Command[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
};
const SERVER_NAMES = 'mcpd list --names 2>/dev/null';

function namesOf(command: Command): string[] {
  return command.alias === undefined ? [command.name] : [command.name, command.alias];
}

/** The spellings of an option: `-f`, `--follow`. */
function spellings([name, option]: [string, Option]): string[] {
  return option.short === undefined ? [`--${name}`] : [`-${option.short}`, `--${name}`];
}

function optionsOf(command: Command): [string, Option][] {
  return [...Object.entries(command.options), ['help', { kind: 'flag', short: 'h', help: 'show its help' }]];
}

function bashScript(commands: readonly Command[]): string {
  const values = commands.flatMap((command) =>
    optionsOf(command).flatMap((entry) => {
      const [, option] = entry;
      if (option.kind === 'flag') return [];
      const patterns = namesOf(command).flatMap((name) =>
        spellings(entry).map((spelling) => shellWord(`${name} ${spelling}`)),
      );
      const reply =
        option.complete === 'file'
          ? 'compopt -o default'
          : `COMPREPLY=($(compgen -W ${shellWord((option.complete ?? []).join(' '))} -- "$cur"))`;
      return [`    ${patterns.join('|')}) ${reply}; return ;;`];
    }),
  );
  const operands = commands.map((command) => {
    const options = optionsOf(command).flatMap(spellings).join(' ');
    return `    ${namesOf(command).join('|')}) options=${shellWord(options)}; ${bashOperands(command)} ;;`;
  });
  return `# bash completion of mcpd
_mcpd() {
  local cur prev command options words i
  COMPREPLY=()
  cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} command= options= words=
  for ((i = 1; i < COMP_CWORD; i++)); do
    case \${COMP_WORDS[i]} in
      --) compopt -o default; return ;;
      -*) ;;
      *) [[ -n $command ]] || command=\${COMP_WORDS[i]} ;;
    esac
  done
  if [[ -z $command ]]; then
    COMPREPLY=($(compgen -W ${shellWord(commands.flatMap(namesOf).join(' '))} -- "$cur"))
    return
  fi
  case "$command $prev" in
${values.join('\n')}
  esac
  case $command in
${operands.join('\n')}
    *) return ;;
  esac
  [[ $cur == -* ]] && words=$options
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _mcpd mcpd`;
}

function bashOperands({ operands }: Command): string {
  if (operands.complete === 'server') return `[[ $cur == -* ]] || words=$(${SERVER_NAMES})`;
  if (operands.complete === 'folder') return '[[ $cur == -* ]] || compopt -o default';
  return `words=${shellWord((operands.complete ?? []).join(' '))}`;
}

function zshScript(commands: readonly Command[]): string {
  const cases = commands.map((command) => {
    const specs = optionsOf(command).map((entry) => zshOption(entry));
    return `    ${namesOf(command).join('|')}) _arguments ${[...specs, ...zshOperands(command)].join(' ')} ;;`;
  });
  return [
    '#compdef mcpd',
    `_mcpd_servers() { compadd -- \${(f)"$(${SERVER_NAMES})"} }`,
    '_mcpd() {',
    '  if (( CURRENT == 2 )); then',
    '    local -a commands',
    `    commands=(${commands.flatMap((command) => namesOf(command).map((name) => shellWord(`${name}:${command.summary}`))).join(' ')})`,
    "    _describe 'command' commands",
    '    return',
    '  fi',
    '  local command=$words[2]',
    '  shift words; (( CURRENT-- ))',
    '  case $command in',
    ...cases,
    '  esac',
    '}',
    'compdef _mcpd mcpd',
  ].join('\n');
}

function zshOption(entry: [string, Option]): string {
  const [, option] = entry;
  const help = option.help.replace(/[[\]\\]/g, '\\$&');
  const value =
    option.kind === 'flag'
      ? ''
      : `:${option.value ?? 'value'}:${zshValues(option.complete)}`.replaceAll('[', '\\[').replaceAll(']', '\\]');
  const repeat = option.kind === 'values' ? '*' : '';
  return spellings(entry)
    .map((spelling) => shellWord(`${repeat}${spelling}[${help}]${value}`))
    .join(' ');
}

function zshValues(complete: Option['complete']): string {
  if (complete === 'file') return '_files';
  return complete === undefined ? '' : `(${complete.join(' ')})`;
}

function zshOperands({ operands, rest }: Command): string[] {
  const after = rest === undefined ? [] : [shellWord('*:argument:_files')];
  if (operands.max === 0) return after;
  const star = operands.max > 1 ? '*' : '1';
  if (operands.complete === 'server') return [shellWord(`${star}:server:_mcpd_servers`), ...after];
  if (operands.complete === 'folder') return [shellWord(`${star}:server:_files -/`), ...after];
  return operands.complete === undefined
    ? after
    : [shellWord(`${star}:word:(${operands.complete.join(' ')})`), ...after];
}

function fishScript(commands: readonly Command[]): string {
  const lines = commands.flatMap((command) => {
    const names = namesOf(command);
    const within = `-n ${shellWord(`__fish_seen_subcommand_from ${names.join(' ')}`)}`;
    return [
      ...names.map((name) => `complete -c mcpd -n __fish_use_subcommand -a ${name} -d ${shellWord(command.summary)}`),
      ...optionsOf(command).map((entry) => `complete -c mcpd ${within} ${fishOption(entry)}`),
      ...fishOperands(command).map((operand) => `complete -c mcpd ${within} ${operand}`),
    ];
  });
  return ['# fish completion of mcpd', 'complete -c mcpd -f', ...lines].join('\n');
}

function fishOption([name, option]: [string, Option]): string {
  const short = option.short === undefined ? '' : ` -s ${option.short}`;
  const choices = typeof option.complete === 'object' ? ` -a ${shellWord(option.complete.join(' '))}` : '';
  const value = option.kind === 'flag' ? '' : option.complete === 'file' ? ' -r -F' : ` -x${choices}`;
  return `-l ${name}${short}${value} -d ${shellWord(option.help)}`;
}

function fishOperands({ operands }: Command): string[] {
  if (operands.complete === 'server') return [`-a ${shellWord(`(${SERVER_NAMES})`)}`];
  if (operands.complete === 'folder') return ['-F'];
  return operands.complete === undefined ? [] : [`-a ${shellWord(operands.complete.join(' '))}`];
}
