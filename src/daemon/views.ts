import type { ToolInfo } from '../api/contract.ts';
import type { Gateway } from '../core/gateway.ts';
import { listOf } from '../core/listing.ts';
import { LIST_KINDS, type ListKind, type ServerStatus } from '../core/model.ts';
import { placed } from '../own-places.ts';

/** What people are shown of the core's data: pure, made on request. */

interface ListedEntry {
  name: string;
  raw: string;
  description: string;
}

/** A status with the paths that its launch has now. */
export function shown(status: ServerStatus): ServerStatus {
  const { launch } = status;
  return launch.kind === 'http' ? status : { ...status, launch: placed(launch) };
}

/** The tools that hosts see, by server and in its order; of one server also when it is disabled. */
export function toolsOf(gateway: Gateway, server: string | null): ToolInfo[] {
  const { servers, names } = gateway.view;
  const chosen = server === null ? [...servers.keys()].sort() : [server];
  return chosen.flatMap((name) => {
    const known = servers.get(name);
    if (known === undefined || (server === null && !known.definition.enabled)) return [];
    return listOf(known, 'tools', '').map((text): ToolInfo => {
      const tool = JSON.parse(text) as { name: string; description?: string; inputSchema: unknown };
      return {
        server: name,
        name: names.exposedName('tool', name, tool.name) ?? tool.name,
        raw: tool.name,
        description: tool.description ?? '',
        inputSchema: tool.inputSchema,
      };
    });
  });
}

/** All lists of one server, with the names that hosts use. */
export function listsOf(gateway: Gateway, server: string): Record<ListKind, ListedEntry[]> {
  const { servers, names, uris } = gateway.view;
  const known = servers.get(server);
  const exposed: Record<ListKind, (raw: string) => string> = {
    tools: (raw) => names.exposedName('tool', server, raw) ?? raw,
    prompts: (raw) => names.exposedName('prompt', server, raw) ?? raw,
    resources: (raw) => uris.exposed(server, raw),
    templates: (raw) => uris.exposed(server, raw),
  };
  const entries = LIST_KINDS.map((kind) => {
    const list = known === undefined ? [] : listOf(known, kind, '');
    return [kind, list.map((text) => listedEntry(text, exposed[kind]))] as const;
  });
  return Object.fromEntries(entries) as Record<ListKind, ListedEntry[]>;
}

// — internal —

function listedEntry(text: string, exposed: (raw: string) => string): ListedEntry {
  const entry = JSON.parse(text) as { name?: string; uri?: string; uriTemplate?: string; description?: string };
  const raw = entry.uri ?? entry.uriTemplate ?? entry.name ?? '';
  return { name: exposed(raw), raw, description: entry.description ?? entry.name ?? '' };
}
