import type { Command } from './command.ts';
import { DAEMON_COMMANDS } from './command-table/daemon.ts';
import { LIFE_COMMANDS } from './command-table/life.ts';
import { SEARCH_COMMANDS } from './command-table/search.ts';
import { SERVER_COMMANDS } from './command-table/servers.ts';
import { TOOL_COMMANDS } from './command-table/tools.ts';

/** Every command: what help shows, what is parsed, what shells complete. The code of a command is loaded when it runs. */
export const COMMANDS: readonly Command[] = [
  ...SERVER_COMMANDS,
  ...LIFE_COMMANDS,
  ...SEARCH_COMMANDS,
  ...TOOL_COMMANDS,
  ...DAEMON_COMMANDS,
];
