import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ApplyRequest, ApplyResult, DeclaredSet, ServerStatus } from '../../src/api/contract.ts';
import { errnoOf, McpdError } from '../../src/errors.ts';
import { API_BODY_BYTES_MAX } from '../../src/operation-limits.ts';
import { shownBytes } from '../../src/shown.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';

/** Exit code when some of the servers could not be applied: a server's fault, as the error table has it. */
const PARTLY_FAILED_EXIT = 5;

export async function runApply(parsed: Parsed, context: Context): Promise<number> {
  const { output } = context;
  const file = parsed.value('file');
  if (file === undefined)
    throw new McpdError('USAGE', { what: 'mcpd apply needs a file', fix: 'mcpd apply -f mcpd.json' });
  const path = resolve(context.cwd, file);
  const dryRun = parsed.flag('dry-run');
  const request: ApplyRequest = { path, text: await textOf(path), dryRun };
  const daemon = await context.daemon();
  const result = await daemon.request<ApplyResult>('POST', '/api/declared', request);
  if (parsed.flag('json')) output.json(result);
  else {
    showResult(result, dryRun, context);
    const servers = await daemon.request<ServerStatus[]>('GET', '/api/servers');
    // Whoever saves and then applies may find that nothing is left to change.
    if (servers.some(({ source }) => source.kind === 'file' && source.ref === path))
      output.say(`mcpd follows ${showable(path)}: what is saved there is applied by itself.`);
  }
  return result.failed.length > 0 ? PARTLY_FAILED_EXIT : 0;
}

export async function runExport(parsed: Parsed, context: Context): Promise<void> {
  const path = parsed.flag('lock') ? '/api/declared?lock=1' : '/api/declared';
  context.output.json(await (await context.daemon()).request<DeclaredSet>('GET', path));
}

// — internal —

/** Of a file that can be looked at again, and no pipe: the daemon goes on watching it. */
async function textOf(path: string): Promise<string> {
  const cannot = (why: string) =>
    new McpdError('CONFIG_INVALID', { what: `${path} cannot be applied`, why, fix: 'mcpd apply -f mcpd.json' });
  try {
    const stats = await stat(path);
    if (!stats.isFile()) throw cannot('it is not a file');
    if (stats.size > API_BODY_BYTES_MAX)
      throw cannot(`it has ${shownBytes(stats.size)}, and ${shownBytes(API_BODY_BYTES_MAX)} is the most`);
    return await readFile(path, 'utf8');
  } catch (thrown) {
    if (thrown instanceof McpdError) throw thrown;
    throw cannot(errnoOf(thrown) === 'ENOENT' ? 'it does not exist' : (errnoOf(thrown) ?? String(thrown)));
  }
}

function showResult(result: ApplyResult, dryRun: boolean, { output }: Context): void {
  const { paint } = output;
  const signs = [
    ['+', result.added, paint.green],
    ['~', result.changed, paint.yellow],
    ['-', result.removed, paint.red],
  ] as const;
  for (const [sign, names, colour] of signs)
    for (const name of names) output.print(`${colour(sign)} ${showable(name)}`);
  for (const { name, error } of result.failed) {
    output.print(
      `${paint.red('✗')} ${showable(name)}: ${showable(error.what)}${error.why === undefined ? '' : `: ${showable(error.why)}`}`,
    );
    if (error.fix !== undefined) output.print(`  ${paint.bold('try')}  ${showable(error.fix)}`);
  }
  for (const warning of result.warnings) output.say(`${output.sayPaint.yellow('warning')}  ${showable(warning)}`);
  for (const { secret, server, to } of result.secrets) {
    const goes = dryRun ? 'would go' : 'goes';
    output.say(`${output.sayPaint.yellow('secret')}  ${secret} of ${server} ${goes} to ${showable(to)}`);
  }
  const changes = result.added.length + result.changed.length + result.removed.length;
  output.say(
    `${dryRun ? 'Would change' : 'Changed'} ${changes}, unchanged ${result.unchanged.length}, failed ${result.failed.length}.`,
  );
}
