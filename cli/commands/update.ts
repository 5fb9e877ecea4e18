import type {
  EntryChange,
  UpdateEvent,
  UpdateOffer,
  UpdateRequest,
  VersionChange,
  VersionState,
} from '../../src/api/contract/updates.ts';
import type { DaemonClient } from '../../src/control/client.ts';
import { fromReport, McpdError } from '../../src/errors.ts';
import { amount, shownVersion } from '../../src/shown.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import { Interrupted } from '../interrupt.ts';
import { errorLines, type Output, StepFailure } from '../output.ts';
import { askConsent } from '../prompt/ask.ts';

/** Exit code when something could not be done, as the error table has it for servers. */
const FAILED_EXIT = 5;

/** `mcpd outdated`. */
export async function runOutdated(parsed: Parsed, context: Context): Promise<number> {
  const { output } = context;
  const states = await statesOf(await context.daemon());
  if (parsed.flag('json')) output.json(states);
  else {
    output.table(states, [
      { title: 'NAME', cell: ({ server }) => server },
      { title: 'PACKAGE', cell: ({ kind, identifier }) => `${kind}:${identifier}`, cuttable: true },
      { title: 'INSTALLED', cell: ({ installed }) => shownVersion(installed) },
      { title: 'AVAILABLE', cell: ({ available }) => (available === null ? '?' : shownVersion(available)) },
      { title: 'REMARK', cell: remarkOf, cuttable: true },
    ]);
  }
  return states.some(({ error }) => error !== null) ? FAILED_EXIT : 0;
}

/** `mcpd update [NAME] [--to V]`: shows what would change, and does it after a yes. Without a name: all that are outdated and not pinned. */
export async function runUpdate(parsed: Parsed, context: Context): Promise<number> {
  const { output } = context;
  const daemon = await context.daemon();
  const [name] = parsed.operands;
  const to = parsed.value('to');
  if (name === undefined && to !== undefined)
    throw new McpdError('USAGE', { what: '--to is for one server', fix: `mcpd update NAME --to ${to}` });
  const request: UpdateRequest = {
    ...(to === undefined ? {} : { to }),
    ...(parsed.flag('allow-scripts') ? { allowScripts: true } : {}),
  };
  if (name !== undefined) {
    const done = await updateOne(name, request, daemon, parsed, context);
    if (parsed.flag('json')) output.json(done);
    return 0;
  }
  const states = (await statesOf(daemon)).filter(({ isOutdated, isPinned }) => isOutdated && !isPinned);
  if (states.length === 0) output.say('Every server that is not pinned has the newest version.');
  const results: (Updated | { server: string; error: unknown })[] = [];
  for (const { server } of states) {
    try {
      results.push(await updateOne(server, request, daemon, parsed, context));
    } catch (thrown) {
      if (!(thrown instanceof McpdError)) throw thrown;
      results.push({ server, error: thrown.report() });
      for (const line of errorLines(thrown, output.sayPaint)) output.say(line);
    }
  }
  if (parsed.flag('json')) output.json(results);
  return results.some((result) => 'error' in result) ? FAILED_EXIT : 0;
}

/** `mcpd rollback NAME`. */
export async function runRollback(parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const [name = ''] = parsed.operands;
  const change = await (await context.daemon()).request<VersionChange>('POST', `${pathOf(name)}/rollback`, {});
  if (parsed.flag('json')) return output.json(change);
  output.print(
    `${name} is at ${showable(shownVersion(change.to))} again; ${showable(shownVersion(change.from))} is kept (mcpd rollback ${name}).`,
  );
}

/** `mcpd pin NAME [--off]`. */
export async function runPin(parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const [name = ''] = parsed.operands;
  const on = !parsed.flag('off');
  const state = await (await context.daemon()).request<object>('POST', `${pathOf(name)}/pin`, { on });
  if (parsed.flag('json')) return output.json(state);
  output.print(on ? `${name} stays at its version until mcpd pin ${name} --off.` : `${name} is updated again.`);
}

// — internal —

/** `offer` is null when it has that version already, `change` when nobody said yes. */
interface Updated {
  server: string;
  offer: UpdateOffer | null;
  change: VersionChange | null;
}

function remarkOf({ server, isOutdated, isPinned, kept, error }: VersionState): string {
  return [
    ...(error === null ? [] : [error.what]),
    ...(isPinned ? ['pinned'] : isOutdated ? [`mcpd update ${server}`] : []),
    ...(kept === null ? [] : [`${shownVersion(kept)} is kept`]),
  ].join(', ');
}

function pathOf(name: string): string {
  return `/api/servers/${encodeURIComponent(name)}`;
}

/** Asks registries, one a package: it has no time limit here, each of them has one. */
async function statesOf(daemon: DaemonClient): Promise<VersionState[]> {
  return daemon.request<VersionState[]>('POST', '/api/outdated', {});
}

async function updateOne(
  name: string,
  request: UpdateRequest,
  daemon: DaemonClient,
  parsed: Parsed,
  context: Context,
): Promise<Updated> {
  const { output, keyboard, signal } = context;
  let last: UpdateEvent | null = null;
  for await (const event of daemon.lines<UpdateEvent>('POST', `${pathOf(name)}/update`, request, signal)) {
    if (event.type === 'failed') throw new StepFailure(fromReport(event.error), 'update', event.stderrTail);
    if (event.type === 'step') output.say(showable(event.detail));
    else if (event.type === 'warning') output.say(`${output.sayPaint.yellow('warning')}  ${showable(event.text)}`);
    last = event;
  }
  if (signal.aborted) throw new Interrupted();
  if (last?.type === 'current') {
    if (!parsed.flag('json')) output.print(`${name} is at ${showable(shownVersion(last.version))} already.`);
    return { server: name, offer: null, change: null };
  }
  if (last?.type !== 'offer')
    throw new McpdError('DAEMON_LOST', { what: 'the daemon went away in the middle', fix: `mcpd update ${name}` });
  const { offer } = last;
  if (!parsed.flag('json')) showOffer(offer, output);
  const agreed =
    parsed.flag('yes') || (keyboard !== null && (await askConsent(`Update ${name}?`, 'no', keyboard, output)));
  if (!agreed) {
    output.say(keyboard === null ? `Nothing was changed; to agree: mcpd update ${name} --yes` : 'Nothing was changed.');
    return { server: name, offer, change: null };
  }
  const { agreement } = offer;
  const change = await daemon.request<VersionChange>('POST', `${pathOf(name)}/update/agreement`, { agreement });
  if (!parsed.flag('json'))
    output.print(
      `${output.paint.green('✓')} ${name} is at ${showable(shownVersion(change.to))}; ${showable(shownVersion(change.from))} is kept until it has proved itself (mcpd rollback ${name}).`,
    );
  return { server: name, offer, change };
}

const MARKS = { added: '+', removed: '-', changed: '~' } as const;
const COLOURS = { added: 'green', removed: 'red', changed: 'yellow' } as const;
const NOUNS = { tools: 'tool', prompts: 'prompt', resources: 'resource', templates: 'template' } as const;

function showOffer(offer: UpdateOffer, output: Output): void {
  const { paint } = output;
  output.print(
    paint.bold(
      `${offer.server}: ${showable(offer.package)} ${showable(shownVersion(offer.from))} → ${showable(shownVersion(offer.to))}`,
    ),
  );
  if (offer.integrity !== '') output.print(`  integrity  ${showable(offer.integrity)}`);
  output.print(`  run        ${showable(offer.commandLine)}`);
  for (const change of offer.changes) showChange(change, output);
  if (offer.moreChanges > 0) output.print(`  and ${amount(offer.moreChanges, 'more change')}`);
  if (offer.instructions !== null) {
    output.print(`  ${paint.yellow('~')} what it tells models`);
    showMember(offer.instructions.before, offer.instructions.after, output);
  }
  if (offer.changes.length === 0 && offer.instructions === null) output.print('  It lists the same as before.');
}

function showChange({ list, key, change, members }: EntryChange, output: Output): void {
  output.print(`  ${output.paint[COLOURS[change]](MARKS[change])} ${NOUNS[list]} ${showable(key)}`);
  for (const { name, before, after } of members) {
    // Of what is new, what it says and takes; its icons and hints say little.
    if (change === 'added' && name !== 'description' && name !== 'inputSchema') continue;
    output.print(`      ${showable(name)}`);
    showMember(before, after, output);
  }
}

function showMember(before: string | null, after: string | null, { paint, print }: Output): void {
  if (before !== null) print(`        ${paint.red('-')} ${showable(before)}`);
  if (after !== null) print(`        ${paint.green('+')} ${showable(after)}`);
}
