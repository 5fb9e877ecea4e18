/** Can a variable of this name make a program run other code than its own? */
export function isRiskyVariable(name: string): boolean {
  const upper = name.toUpperCase();
  return RISKY.has(upper) || RISKY_FAMILIES.some((beginning) => upper.startsWith(beginning));
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
  ...[
    'NODE_OPTIONS',
    'NODE_PATH',
    'PYTHONSTARTUP',
    'PYTHONPATH',
    'PYTHONHOME',
    'PYTHONUSERBASE',
    'PYTHONBREAKPOINT',
    'PERL5OPT',
    'PERL5LIB',
    'RUBYOPT',
    'RUBYLIB',
    'GEM_PATH',
    'BUN_OPTIONS',
    'LUA_INIT',
    'PHPRC',
    'PHP_INI_SCAN_DIR',
    'DOTNET_STARTUP_HOOKS',
  ],
  ...[
    'BASH_ENV',
    'ENV',
    'SHELLOPTS',
    'PROMPT_COMMAND',
    'JAVA_TOOL_OPTIONS',
    '_JAVA_OPTIONS',
    'JDK_JAVA_OPTIONS',
    'GIT_SSH_COMMAND',
    'GIT_EXEC_PATH',
    'GIT_CONFIG_GLOBAL',
    'GCONV_PATH',
    'PATH',
  ],
]);
/** Of the dynamic linkers; and of npm, uv and pip, which say from where `npx`, `uvx` and `pipx` take the program. */
const RISKY_FAMILIES = [
  ...['LD_', 'DYLD_', 'NPM_CONFIG_', 'PIP_'],
  // Not all of `UV_`: that is libuv too.
  ...['UV_INDEX', 'UV_DEFAULT_INDEX', 'UV_EXTRA_INDEX', 'UV_FIND_LINKS', 'UV_PYTHON'],
];
