import { join } from 'node:path';
import { packageRoot } from './package-root.ts';

/**
 * mcpd's own node and its `dist/`, as launches name them. What is kept for good must not hold their paths: they change with every upgrade
 * of node or mcpd, and a server would not start any more.
 */
export const OWN_NODE = '$' + '{node}';
export const OWN_DIST = '$' + '{mcpd}';

/** The launch with the real paths of the running mcpd. Only a command that is exactly `${node}` is meant, and then its arguments. */
export function placed<T extends { command: string; args: readonly string[] }>(launch: T): T {
  if (launch.command !== OWN_NODE) return launch;
  const dist = join(packageRoot(), 'dist');
  const args = launch.args.map((arg) =>
    arg.startsWith(`${OWN_DIST}/`) ? join(dist, arg.slice(OWN_DIST.length)) : arg,
  );
  return { ...launch, command: process.execPath, args };
}
