import type { Span } from '../protocol/frame.ts';
import { jsonString, type Member, member } from '../protocol/members.ts';
import { param, type RequestView } from '../protocol/request-view.ts';
import { entriesOf } from './learning.ts';
import { keysOf } from './listing.ts';
import type { ServerName } from './model.ts';
import type { NameKind } from './names.ts';
import { missingParam, type Refusal, serverNotEnabled, unknownTarget } from './refusals.ts';
import type { Core } from './state.ts';

/** Which server a request is for, and what must stand in it for the name or URI that the host used. */
export interface Destination {
  server: ServerName;
  /** The raw name or URI. */
  target: string;
  rewrite: { span: Span; json: string } | null;
  /** The URI as the host knows it, where it differs from the raw one. */
  exposedUri: string | null;
}

export function destinationOf(
  core: Core,
  view: RequestView,
  at: 'tool' | 'prompt' | 'uri' | 'ref',
): Destination | Refusal {
  if (at === 'ref') return refDestination(core, view);
  return at === 'uri' ? byUri(core, view, param(view, 'uri')) : byName(core, at, view, param(view, 'name'));
}

export function isRefusal(found: Destination | Refusal): found is Refusal {
  return 'message' in found;
}

// — internal —

function byName(
  core: Core,
  kind: NameKind,
  { bytes, request }: RequestView,
  value: Member | null,
): Destination | Refusal {
  const name = value === null ? null : jsonString(bytes, value);
  if (value === null || name === null) return missingParam(request.method, 'name');
  const target = core.names.target(kind, name);
  if (target !== null && core.servers.has(target.server)) {
    return enabledOnly(core, {
      server: target.server,
      target: target.raw,
      rewrite: { span: value, json: target.rawJson },
      exposedUri: null,
    });
  }
  const owners = bareOwners(core, kind, name);
  const [only] = owners;
  if (only !== undefined && owners.length === 1) return { server: only, target: name, rewrite: null, exposedUri: null };
  return unknownTarget(
    kind,
    name,
    owners.length > 1 ? `several servers have one of that name: ${owners.join(', ')}` : closeNames(core, kind, name),
  );
}

function byUri(core: Core, { bytes, request }: RequestView, value: Member | null): Destination | Refusal {
  const uri = value === null ? null : jsonString(bytes, value);
  if (value === null || uri === null) return missingParam(request.method, 'uri');
  const target = core.uris.resolve(uri);
  if (target === null || !core.servers.has(target.server))
    return unknownTarget('resource', uri, 'no installed server lists it or a template that fits it');
  const same = target.raw === uri;
  return enabledOnly(core, {
    server: target.server,
    target: target.raw,
    rewrite: same ? null : { span: value, json: JSON.stringify(target.raw) },
    exposedUri: same ? null : uri,
  });
}

/** completion/complete names a prompt, or a resource template. */
function refDestination(core: Core, view: RequestView): Destination | Refusal {
  const { bytes, request } = view;
  const ref = param(view, 'ref');
  const type = ref === null ? null : member(bytes, ref, 'type');
  const kind = type === null ? null : jsonString(bytes, type);
  if (ref !== null && kind === 'ref/prompt') return byName(core, 'prompt', view, member(bytes, ref, 'name'));
  if (ref !== null && kind === 'ref/resource') return byUri(core, view, member(bytes, ref, 'uri'));
  return missingParam(request.method, 'ref.type');
}

function enabledOnly(core: Core, found: Destination): Destination | Refusal {
  return core.servers.get(found.server)?.definition.enabled === true ? found : serverNotEnabled(found.server);
}

/** Enabled servers that list this raw name: the original is accepted too while it is unique. */
function bareOwners(core: Core, kind: NameKind, raw: string): ServerName[] {
  const list = kind === 'tool' ? 'tools' : 'prompts';
  const owners: ServerName[] = [];
  for (const [name, known] of core.servers) {
    if (known.definition.enabled && keysOf(list, entriesOf(known.memory, list)).includes(raw)) owners.push(name);
  }
  return owners.sort();
}

/** Names that begin or end alike, for the error. */
function closeNames(core: Core, kind: NameKind, name: string): string | null {
  const list = kind === 'tool' ? 'tools' : 'prompts';
  const wanted = name.toLowerCase();
  const close: string[] = [];
  for (const [server, known] of core.servers) {
    if (!known.definition.enabled) continue;
    for (const raw of keysOf(list, entriesOf(known.memory, list))) {
      const exposed = core.names.exposedName(kind, server, raw);
      const lower = raw.toLowerCase();
      if (
        exposed !== null &&
        (lower.includes(wanted) || wanted.includes(lower) || exposed.toLowerCase().includes(wanted))
      )
        close.push(exposed);
    }
  }
  return close.length === 0 ? null : `close to it: ${close.sort().slice(0, 3).join(', ')}`;
}
