import type { ServerDefinition } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { placed } from '../own-places.ts';
import { shellWord } from '../shell-word.ts';
import type { InstallPorts } from './ports.ts';

/** Is the command of a server there, and may it be run? A remote server has none. @throws McpdError COMMAND_NOT_FOUND, COMMAND_NOT_EXECUTABLE */
export async function checkCommand(
  { launch, name }: ServerDefinition,
  { find, userHome }: { find: InstallPorts['findCommand']; userHome: string },
): Promise<void> {
  if (launch.kind === 'http') return;
  const { command } = placed(launch);
  const found = await find(command, launch.cwd ?? userHome);
  if (found.kind === 'found') return;
  if (found.kind === 'missing') {
    const where = found.lookedIn.length === 0 ? 'the PATH is empty' : `looked in ${found.lookedIn.join(', ')}`;
    throw new McpdError('COMMAND_NOT_FOUND', {
      what: `there is no command ${command}`,
      why: where,
      fix: /\s/.test(command)
        ? `a command and its arguments are words of their own: mcpd add ${name} -- COMMAND ARGS`
        : `install it, or give its absolute path: mcpd add ${name} -- /PATH/TO/COMMAND`,
    });
  }
  throw new McpdError('COMMAND_NOT_EXECUTABLE', {
    what: `${found.path} cannot be run`,
    why: found.kind === 'folder' ? 'it is a folder' : 'it is not executable',
    fix: found.kind === 'folder' ? 'name the program inside it' : `chmod +x ${shellWord(found.path)}`,
  });
}
