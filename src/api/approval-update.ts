import { McpdError } from '../errors.ts';
import { destinationOf } from '../secret-places.ts';
import { showable } from '../text.ts';
import type { Described } from './approval-words.ts';
import type { ApprovalRequest } from './contract/approvals.ts';
import type { EntryChange, UpdateOffer } from './contract/updates.ts';
import type { DaemonControl } from './daemon-control.ts';

/** What a person is shown of another version: before it is fetched and run once, and before it takes the place of the present one. */

type Asked<A> = Extract<ApprovalRequest, { action: A }>;

/** The request with what was shown besides: the yes is to that alone. */
export interface ShownTry extends Asked<'try-update'> {
  integrity: string | null;
}

/**
 * The request is for the very version that is shown, whatever is the newest by then.
 * @throws {McpdError} SERVER_UNKNOWN, SERVER_PINNED, MANAGED_BY_FILE, INPUT_INVALID, and what a registry answers
 */
export async function describedTry(
  control: DaemonControl,
  { server, version }: Asked<'try-update'>,
): Promise<{ request: ShownTry; words: Described }> {
  const life = await control.life();
  const next = await life.nextVersion(server, version ?? null);
  if (next.to === next.from)
    throw new McpdError('INPUT_INVALID', { what: `${server} is at ${next.from} already`, fix: 'mcpd outdated' });
  const { launch } = await control.server(server);
  const words: Described = {
    server,
    says: `fetch ${next.to} of ${server} and run it once, to see what an update would change`,
    details: [
      { label: 'fetch', value: next.package },
      ...(next.integrity === null ? [] : [{ label: 'integrity', value: next.integrity }]),
      { label: 'in place of', value: `${next.from}, which stays until you agree to the changes` },
      { label: 'runs now', value: destinationOf(launch) },
    ],
    warnings: [],
  };
  return { request: { action: 'try-update', server, version: next.to, integrity: next.integrity }, words };
}

/** @throws {McpdError} SERVER_UNKNOWN, UPDATE_CHANGED when that is not what waits */
export async function describedUpdate(
  control: DaemonControl,
  { server, agreement }: Asked<'update'>,
): Promise<Described> {
  const offer = await (await control.life()).offered(server);
  if (offer?.agreement !== agreement)
    throw new McpdError('UPDATE_CHANGED', {
      what: `this update of ${server} does not wait any more`,
      why: 'it waited too long, or there is another one',
      fix: `mcpd update ${server}`,
    });
  return {
    server,
    says: `update ${server} from ${offer.from} to ${offer.to}`,
    details: [
      { label: 'package', value: offer.package },
      ...(offer.integrity === '' ? [] : [{ label: 'integrity', value: offer.integrity }]),
      { label: 'run', value: offer.commandLine },
      ...changesOf(offer),
    ],
    warnings: offer.moreChanges === 0 ? [] : [`it changes ${offer.moreChanges} more than are shown`],
  };
}

/** @throws {McpdError} SERVER_UNKNOWN, NOTHING_KEPT */
export async function describedRollback(control: DaemonControl, { server }: Asked<'rollback'>): Promise<Described> {
  const { servers } = await (await control.life()).versions();
  const { launch } = await control.server(server);
  const state = servers.find((one) => one.server === server);
  if (state === undefined || state.kept === null)
    throw new McpdError('NOTHING_KEPT', {
      what: `there is no earlier version of ${server}`,
      why: 'a replaced version is kept until the new one has answered calls for a day',
      fix: `mcpd update ${server} --to VERSION`,
    });
  return {
    server,
    says: `go back to ${state.kept} of ${server}`,
    details: [
      { label: 'package', value: `${state.kind}:${state.identifier} ${state.kept}, as it was before` },
      { label: 'in place of', value: `${state.installed}, which is kept` },
      { label: 'runs now', value: destinationOf(launch) },
    ],
    warnings: [],
  };
}

// — internal —

const DOES = { added: 'adds', removed: 'removes', changed: 'changes' } as const;
const NOUNS = { tools: 'tool', prompts: 'prompt', resources: 'resource', templates: 'template' } as const;

function changesOf({ changes, instructions }: UpdateOffer): Described['details'] {
  if (changes.length === 0 && instructions === null) return [{ label: 'lists', value: 'the same as before' }];
  const told = instructions === null ? [] : difference(instructions.before, instructions.after);
  return [
    ...changes.map((change) => ({ label: `${DOES[change.change]} ${NOUNS[change.list]}`, value: changeText(change) })),
    ...(instructions === null ? [] : [{ label: 'tells models', value: told.join('\n') }]),
  ];
}

/** Its name, and below it each member as it was and as it will be. */
function changeText({ key, members }: EntryChange): string {
  const lines = members.flatMap(({ name, before, after }) => [
    showable(name),
    ...difference(before, after).map((line) => `  ${line}`),
  ]);
  return [showable(key), ...lines].join('\n');
}

/** Each line says whether it goes or comes: text of a server cannot begin one of its own. */
function difference(before: string | null, after: string | null): string[] {
  const marked = (mark: string, text: string | null) =>
    text === null ? [] : text.split('\n').map((line) => `${mark} ${showable(line)}`);
  return [...marked('-', before), ...marked('+', after)];
}
