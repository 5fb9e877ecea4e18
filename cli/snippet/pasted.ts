import { openSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { ReadStream } from 'node:tty';
import { errnoOf, McpdError } from '../../src/errors.ts';
import { isSnippet, SNIPPET_LENGTH_MAX } from '../../src/install/snippet.ts';
import type { Context } from '../context.ts';
import { type Keyboard, keyboardOf } from '../prompt/ask.ts';
import { pipedText } from '../prompt/piped.ts';

/** A configuration of servers that was pasted, piped or named, and whom to ask about it. */
export interface Pasted {
  text: string;
  /** Names the text in errors. */
  where: string;
  /** The command to give again, without the text itself. */
  command: string;
  keyboard: Keyboard | null;
}

/** Null when `spec` names a server in another way. @throws McpdError CONFIG_INVALID for a file that cannot be read */
export async function pastedText(spec: string, context: Context): Promise<Pasted | null> {
  const { keyboard } = context;
  if (isSnippet(spec)) return { text: spec, where: 'the snippet', command: "mcpd install '{…}'", keyboard };
  if (spec === '-') {
    const text = await typedOrPiped(context);
    return { text, where: 'the snippet', command: 'mcpd install -', keyboard: ownTerminal(context) };
  }
  if (!/^(\.{1,2}[/\\]|[/\\]|[A-Za-z]:[/\\]).*\.jsonc?$/i.test(spec)) return null;
  const text = await textOf(resolve(context.cwd, spec));
  // A published description of one server has its own reader.
  return text === null || isDescription(text) ? null : { text, where: spec, command: `mcpd install ${spec}`, keyboard };
}

// — internal —

/** By its schema, which some leave out, or else by members that no configuration of a host has. */
function isDescription(text: string): boolean {
  if (/"\$schema"\s*:\s*"[^"]*\/server\.schema\.json"/.test(text)) return true;
  return /"(packages|remotes)"\s*:\s*\[/.test(text) && !/"(mcpServers|servers)"\s*:/.test(text);
}

/** A person at a terminal pastes it, and says by Ctrl-D that it has ended. */
async function typedOrPiped({ input, output }: Context): Promise<string> {
  if (input.isTTY !== true) return pipedText(input, SNIPPET_LENGTH_MAX);
  output.say('Paste the configuration, then Enter and Ctrl-D:');
  // What is pasted stands on the screen already, so that there is nothing to hide.
  return pipedText(Object.assign(input, { isTTY: false }), SNIPPET_LENGTH_MAX);
}

/** Standard input is used up by the text; a person may sit at the terminal all the same. */
function ownTerminal({ screen }: Context): Keyboard | null {
  if (screen.isTTY !== true) return null;
  try {
    return keyboardOf(new ReadStream(openSync('/dev/tty', 'r')), screen);
  } catch {
    return null; // no terminal belongs to this process, or the system has none by that name
  }
}

/** Null for a folder and for what is not there: others say what is wrong with it. */
async function textOf(path: string): Promise<string | null> {
  const cannot = (why: string) => new McpdError('CONFIG_INVALID', { what: `${path} cannot be read`, why });
  try {
    const stats = await stat(path);
    if (!stats.isFile()) return null;
    if (stats.size > SNIPPET_LENGTH_MAX)
      throw cannot(`it has ${stats.size} bytes, and ${SNIPPET_LENGTH_MAX} is the most`);
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof McpdError) throw thrown;
    if (errnoOf(thrown) === 'ENOENT') return null;
    throw cannot(errnoOf(thrown) ?? String(thrown));
  }
}
