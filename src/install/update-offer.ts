import { createHash } from 'node:crypto';
import type { UpdateEvent, UpdateOffer } from '../api/contract/updates.ts';
import type { InstallEvent } from '../api/contract.ts';
import type { InstalledPackage, ServerDefinition, ServerMemory } from '../core/model.ts';
import { UPDATE_CHANGES_MAX } from '../operation-limits.ts';
import { launchText } from './command-line.ts';
import { listChanges } from './list-changes.ts';
import { toldApart } from './versions.ts';

/** What a person is shown of an update. Pure. */

export function offerOf(
  definition: ServerDefinition,
  pack: InstalledPackage,
  updated: ServerDefinition,
  installed: InstalledPackage,
  before: ServerMemory | null,
  after: ServerMemory,
): UpdateOffer {
  const changes = listChanges(before, after);
  const instructions =
    before === null || before.instructions === after.instructions
      ? null
      : { before: before.instructions, after: after.instructions };
  return {
    server: definition.name,
    ...toldApart(pack, installed),
    package: `${installed.kind}:${installed.identifier}`,
    integrity: installed.integrity,
    commandLine: launchText(updated.launch),
    changes: changes.slice(0, UPDATE_CHANGES_MAX),
    moreChanges: Math.max(0, changes.length - UPDATE_CHANGES_MAX),
    instructions,
    agreement: createHash('sha256')
      .update(JSON.stringify([definition.fingerprint, updated.fingerprint, after.lists, after.instructions]))
      .digest('hex'),
  };
}

/** The course of an update, as its steps tell it. */
export function told(event: InstallEvent, report: (event: UpdateEvent) => void): void {
  if (event.type === 'step') report({ type: 'step', detail: `${event.step}: ${event.detail}` });
  else if (event.type === 'warning') report(event);
  else if (event.type === 'failed') report({ type: 'failed', error: event.error, stderrTail: event.stderrTail });
}
