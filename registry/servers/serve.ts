import type { McpServerFactory } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';

/** Put in by the build; absent when the sources run as they are. */
declare const MCPD_VERSION: string | undefined;

export const VERSION = typeof MCPD_VERSION === 'string' ? MCPD_VERSION : '0.0.0-source';

/**
 * Serves both eras on stdin and stdout until stdin ends. Whatever is not protocol goes to stderr. No signal has a handler: SIGTERM ends
 * the process at once, and nothing here needs a farewell.
 */
export function serve(factory: McpServerFactory): void {
  serveStdio(factory, { onerror: (error) => process.stderr.write(`${error.message}\n`) });
  // A request to the network or a timer must not keep a process that nobody can hear any more.
  const leave = () => process.exit(0);
  process.stdin.once('end', leave);
  process.stdin.once('close', leave);
}

/** Exit code of a program whose configuration is wrong (EX_CONFIG of sysexits.h). */
const BAD_SETTINGS = 78;

/** The settings, or the end of the process with one readable line on stderr: a wrong setting shows at the start, not at the first call. */
export function settingsOrLeave<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(BAD_SETTINGS);
  }
}
