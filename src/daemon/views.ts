import type { ServerOffer } from '../api/contract/offers.ts';
import type { ListedEntry, ToolInfo } from '../api/contract.ts';
import { mayComplete } from '../core/dispatch.ts';
import type { Gateway } from '../core/gateway.ts';
import { keysOf } from '../core/listing.ts';
import {
  type InstanceKey,
  type InstanceStatus,
  LIST_KINDS,
  type ListKind,
  type ServerStatus,
  type Whose,
} from '../core/model.ts';
import { isWholeOffer, offeredBy } from '../core/offer.ts';
import { instanceStatus } from '../core/status.ts';
import { placed } from '../own-places.ts';
import { shownWhose } from '../shown.ts';
import { showableRawJson } from '../text.ts';

/** What people are shown of the core's data: pure, made on request. */

/** A status with the paths that its launch has now, and without secrets in what a server said of its troubles. */
export function shown(status: ServerStatus, masks: { of(server: string): (text: string) => string }): ServerStatus {
  const { launch, wantedReason, reason, fix, findings } = status;
  const mask = masks.of(status.name);
  const orNull = (text: string | null) => (text === null ? null : mask(text));
  const words = {
    wantedReason: orNull(wantedReason),
    reason: orNull(reason),
    fix: orNull(fix),
    findings: findings.map(mask),
  };
  return { ...status, ...words, launch: launch.kind === 'http' ? launch : placed(launch) };
}

/** A lifecycle line, with whose process it is about where a server has several. */
export function logText({ text, whose }: { text: string; whose: Whose }): string {
  return whose.hosts === null || whose.hosts.length === 0 ? text : `${text} (for ${shownWhose(whose)})`;
}

/** Whose it is and how it fares; the core knows nothing of a replay. */
export function shownInstance({ view }: Gateway, key: InstanceKey): InstanceStatus {
  const instance = view.instances.get(key);
  if (instance !== undefined) return instanceStatus(view, instance);
  return { instance: key, state: 'starting', pid: null, hosts: [], folder: null };
}

/** The tools that hosts see, by server and in its order; of one server also when it is disabled. */
export function toolsOf(gateway: Gateway, server: string | null): ToolInfo[] {
  const { servers, names } = gateway.view;
  const chosen = server === null ? [...servers.keys()].sort() : [server];
  return chosen.flatMap((name) => {
    const known = servers.get(name);
    if (known === undefined || (server === null && !known.definition.enabled)) return [];
    return offeredBy(known, 'tools').map(({ entry, onlyFor }): ToolInfo => {
      const tool = JSON.parse(entry) as { name: string; description?: string; inputSchema: unknown };
      return {
        server: name,
        name: names.exposedName('tool', name, tool.name) ?? tool.name,
        raw: tool.name,
        description: tool.description ?? '',
        inputSchema: tool.inputSchema,
        onlyFor,
      };
    });
  });
}

/** All lists of one server, with the names that hosts use. */
export function listsOf(gateway: Gateway, server: string): Record<ListKind, ListedEntry[]> {
  return eachList((kind) =>
    offeredIn(gateway, server, kind).map(({ entry, raw, name, onlyFor }) => {
      const { description, name: title } = JSON.parse(entry) as { name?: string; description?: string };
      return { name, raw, description: description ?? title ?? '', onlyFor };
    }),
  );
}

/** The same as the page gets it, with all that is known of each entry. */
export function offerOf(gateway: Gateway, server: string): ServerOffer {
  const known = gateway.view.servers.get(server);
  const memory = known?.memory ?? null;
  const capabilities = JSON.parse(memory?.capabilities ?? '{}') as object;
  return {
    lists: eachList((kind) =>
      offeredIn(gateway, server, kind).map(({ entry, name, onlyFor }) => ({
        name,
        json: showableRawJson(entry),
        onlyFor,
      })),
    ),
    completes: memory !== null && mayComplete(memory.protocolVersion, capabilities),
    isWhole: known !== undefined && isWholeOffer(known),
  };
}

// — internal —

function eachList<T>(listed: (kind: ListKind) => T[]): Record<ListKind, T[]> {
  return Object.fromEntries(LIST_KINDS.map((kind) => [kind, listed(kind)])) as Record<ListKind, T[]>;
}

function offeredIn(gateway: Gateway, server: string, kind: ListKind) {
  const { servers, names, uris } = gateway.view;
  const known = servers.get(server);
  const exposed: Record<ListKind, (raw: string) => string> = {
    tools: (raw) => names.exposedName('tool', server, raw) ?? raw,
    prompts: (raw) => names.exposedName('prompt', server, raw) ?? raw,
    resources: (raw) => uris.exposed(server, raw),
    templates: (raw) => uris.exposed(server, raw),
  };
  const offered = known === undefined ? [] : offeredBy(known, kind);
  const raws = keysOf(
    kind,
    offered.map(({ entry }) => entry),
  );
  return offered.map((one, at) => ({ ...one, raw: raws[at] ?? '', name: exposed[kind](raws[at] ?? '') }));
}
