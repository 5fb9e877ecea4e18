import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { homedir, userInfo } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { errnoOf, McpdError } from '../../src/errors.ts';
import { SMALL_PROGRAM_TIMEOUT_MS } from '../../src/operation-limits.ts';
import { homePath } from '../../src/paths.ts';
import { shellWord } from '../../src/shell-word.ts';
import { type BootEntry, bootEntry } from '../boot-entry.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import type { Output } from '../output.ts';
import { askConsent } from '../prompt/ask.ts';

export async function runBoot(parsed: Parsed, context: Context): Promise<void> {
  const [word] = parsed.operands;
  const entry = entryOf(context);
  if (word === 'enable') return enable(entry, parsed, context);
  if (word === 'disable') return disable(entry, parsed, context);
  throw new McpdError('USAGE', {
    what: `mcpd boot does not know ${word ?? ''}`,
    why: 'it knows enable and disable',
    fix: 'mcpd boot enable --print',
  });
}

// — internal —

const execute = promisify(execFile);

function entryOf({ env, paths, dist }: Context): BootEntry {
  const { username, uid } = userInfo();
  return bootEntry({
    platform: process.platform,
    userHome: homedir(),
    user: username,
    uid,
    env,
    node: process.execPath,
    script: join(dist, 'mcpd.js'),
    home: paths.home,
    isDefault: paths.home === homePath({}),
  });
}

async function enable(entry: BootEntry, parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  output.print(entry.path);
  output.text(entry.content);
  for (const command of entry.afterWriting) output.print(`$ ${command.map(shellWord).join(' ')}`);
  if (parsed.flag('print')) return tellHints(entry, output);
  if (!(await agreed('Write this file and run these commands?', parsed, context)))
    return output.say('Nothing was written.');
  try {
    await mkdir(dirname(entry.path), { recursive: true });
    // Not private: the system's own programs read it, and nothing in it is secret.
    await writeFile(entry.path, entry.content, { mode: 0o644 });
  } catch (thrown) {
    throw new McpdError(
      'HOME_UNWRITABLE',
      { what: `${entry.path} cannot be written`, why: errnoOf(thrown) ?? String(thrown) },
      { cause: thrown },
    );
  }
  for (const command of entry.afterWriting) await ran(command);
  output.print('The daemon starts with the next login.');
  tellHints(entry, output);
}

/** To a person: what is printed may be on its way into a file. */
function tellHints({ hints }: BootEntry, output: Output): void {
  for (const hint of hints) output.say(`Note: ${hint}`);
}

async function disable(entry: BootEntry, parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  if (!existsSync(entry.path)) return output.print(`There is no ${entry.path}: nothing starts the daemon at boot.`);
  for (const command of entry.beforeRemoving) output.print(`$ ${command.map(shellWord).join(' ')}`);
  output.print(`$ rm ${shellWord(entry.path)}`);
  if (parsed.flag('print')) return;
  if (!(await agreed('Run these commands?', parsed, context))) return output.say('Nothing was changed.');
  for (const command of entry.beforeRemoving) {
    try {
      await ran(command);
    } catch (thrown) {
      // It may be switched off already; what counts is that the file goes.
      output.say(thrown instanceof McpdError ? thrown.message : String(thrown));
    }
  }
  await rm(entry.path, { force: true });
  output.print('The daemon no longer starts with the login.');
}

/** Writing into the system's start-up is never done unasked: without a terminal it takes --yes. */
async function agreed(question: string, parsed: Parsed, { keyboard, output }: Context): Promise<boolean> {
  if (parsed.flag('yes')) return true;
  if (keyboard !== null) return askConsent(question, 'yes', keyboard, output);
  throw new McpdError('USAGE', {
    what: 'nobody can be asked: there is no terminal',
    fix: `mcpd boot ${parsed.operands[0] ?? ''} --yes`,
  });
}

async function ran([program = '', ...args]: readonly string[]): Promise<void> {
  try {
    await execute(program, args, { timeout: SMALL_PROGRAM_TIMEOUT_MS });
  } catch (thrown) {
    const { stderr } = thrown as { stderr?: unknown };
    const why = typeof stderr === 'string' && stderr.trim() !== '' ? stderr.trim() : String(thrown);
    throw new McpdError(
      'CONFIG_INVALID',
      { what: `${[program, ...args].join(' ')} failed`, why, fix: 'mcpd boot enable --print' },
      { cause: thrown },
    );
  }
}
