/** The value of `--host` among the arguments of `mcpd stdio`, null without it; or what is wrong with them. */
export function hostNamed(args: readonly string[]): { host: string | null } | { wrong: string } {
  let host: string | null = null;
  const rest = args[0] === 'stdio' ? args.slice(1) : [...args];
  while (rest.length > 0) {
    const arg = rest.shift() ?? '';
    if (arg !== '--host' && !arg.startsWith('--host=')) return { wrong: `mcpd stdio does not know ${arg}` };
    const value = arg === '--host' ? rest.shift() : arg.slice('--host='.length);
    if (value === undefined || value === '') return { wrong: '--host needs a name' };
    host = value;
  }
  return { host };
}
