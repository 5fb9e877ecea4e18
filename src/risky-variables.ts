/** Can a variable of this name make a program run other code than its own? */
export function isRiskyVariable(name: string): boolean {
  return RISKY.has(name.toUpperCase());
}

/** Warnings for variables that `origin` (`the catalog`, a file) sets and that change what code runs. */
export function riskyVariables(names: Iterable<string>, origin: string): string[] {
  return [...names]
    .filter(isRiskyVariable)
    .map((name) => `${origin} sets ${name}, which can make the server run other code than its own`);
}

// — internal —

/** Variables that make a program run other code than its own. Legitimate when a person sets them; a surprise in a file or a catalog. */
const RISKY = new Set([
  ...['LD_PRELOAD', 'LD_LIBRARY_PATH', 'LD_AUDIT', 'DYLD_INSERT_LIBRARIES', 'DYLD_LIBRARY_PATH', 'DYLD_FRAMEWORK_PATH'],
  ...[
    'NODE_OPTIONS',
    'NODE_PATH',
    'PYTHONSTARTUP',
    'PYTHONPATH',
    'PYTHONHOME',
    'PERL5OPT',
    'PERL5LIB',
    'RUBYOPT',
    'RUBYLIB',
  ],
  ...[
    'BASH_ENV',
    'ENV',
    'SHELLOPTS',
    'PROMPT_COMMAND',
    'JAVA_TOOL_OPTIONS',
    '_JAVA_OPTIONS',
    'GIT_SSH_COMMAND',
    'PATH',
  ],
]);
