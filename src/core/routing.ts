import type { Span } from '../protocol/frame.ts';
import { duplicateKey, jsonString, type Member, member, members } from '../protocol/members.ts';
import { SKILLS_EXTENSION } from '../protocol/methods.ts';
import { param, type RequestView } from '../protocol/request-view.ts';
import { parsedTaskId } from '../protocol/tasks.ts';
import type { Scope, ServerName } from './model.ts';
import type { NameKind } from './names.ts';
import {
  invalidParams,
  missingParam,
  type Refusal,
  serverNotEnabled,
  severalHave,
  unknownMethod,
  unknownTarget,
} from './refusals.ts';
import type { Core } from './state.ts';
import { unknownTask } from './task-refusals.ts';

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
  scope: Scope,
  view: RequestView,
  at: 'tool' | 'prompt' | 'uri' | 'ref' | 'task' | 'extension',
): Destination | Refusal {
  if (at === 'task') return byTask(core, scope, view, param(view, 'taskId'));
  if (at === 'extension') return byExtension(core, scope, view);
  if (at === 'ref') return refDestination(core, scope, view);
  return at === 'uri'
    ? byUri(core, scope, view, param(view, 'uri'))
    : byName(core, scope, at, view, param(view, 'name'));
}

export function isRefusal(found: Destination | Refusal): found is Refusal {
  return 'message' in found;
}

// — internal —

function byName(
  core: Core,
  scope: Scope,
  kind: NameKind,
  { bytes, request }: RequestView,
  value: Member | null,
): Destination | Refusal {
  const name = value === null ? null : jsonString(bytes, value);
  if (value === null || name === null) return missingParam(request.method, 'name');
  if (scope.kind === 'server') return inScope(core, scope.server, name);
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
    owners.length > 1 ? `several servers have one of that name: ${owners.join(', ')}` : hint(core, kind, name),
  );
}

/** The one server that has skills. Merging what several list would need all of them to run, so hosts see those one by one. */
function byExtension(core: Core, scope: Scope, { request }: RequestView): Destination | Refusal {
  if (scope.kind === 'server') return inScope(core, scope.server, '');
  const owners = [...core.servers.values()].filter(({ extensions }) => Object.hasOwn(extensions, SKILLS_EXTENSION));
  const names = owners.map(({ definition }) => definition.name).sort();
  const [only] = names;
  if (only === undefined) return unknownMethod(request.method);
  if (names.length > 1) return severalHave(request.method, names);
  return enabledOnly(core, { server: only, target: '', rewrite: null, exposedUri: null });
}

function byUri(core: Core, scope: Scope, { bytes, request }: RequestView, value: Member | null): Destination | Refusal {
  const uri = value === null ? null : jsonString(bytes, value);
  if (value === null || uri === null) return missingParam(request.method, 'uri');
  if (scope.kind === 'server') return inScope(core, scope.server, uri);
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

/** The id of a task names its server. */
function byTask(
  core: Core,
  scope: Scope,
  { bytes, request }: RequestView,
  value: Member | null,
): Destination | Refusal {
  const id = value === null ? null : jsonString(bytes, value);
  if (value === null || id === null) return missingParam(request.method, 'taskId');
  if (scope.kind === 'server') return inScope(core, scope.server, id);
  const task = parsedTaskId(id);
  if (task === null || !core.servers.has(task.server)) return unknownTask('its id names no installed server');
  const { server, raw } = task;
  return enabledOnly(core, {
    server,
    target: raw,
    rewrite: { span: value, json: JSON.stringify(raw) },
    exposedUri: null,
  });
}

/** completion/complete names a prompt, or a resource template. */
function refDestination(core: Core, scope: Scope, view: RequestView): Destination | Refusal {
  const { bytes, request } = view;
  const ref = param(view, 'ref');
  const twice = ref === null ? null : duplicateKey(members(bytes, ref));
  if (twice !== null) return invalidParams(`params.ref.${twice} is there twice`);
  const type = ref === null ? null : member(bytes, ref, 'type');
  const kind = type === null ? null : jsonString(bytes, type);
  if (ref !== null && kind === 'ref/prompt') return byName(core, scope, 'prompt', view, member(bytes, ref, 'name'));
  if (ref !== null && kind === 'ref/resource') return byUri(core, scope, view, member(bytes, ref, 'uri'));
  return missingParam(request.method, 'ref.type');
}

/** Hosts that see one server alone use its own names, and what it does not know it says itself. */
function inScope(core: Core, server: ServerName, target: string): Destination | Refusal {
  if (!core.servers.has(server)) return unknownTarget('server', server, null);
  return enabledOnly(core, { server, target, rewrite: null, exposedUri: null });
}

function enabledOnly(core: Core, found: Destination): Destination | Refusal {
  return core.servers.get(found.server)?.definition.enabled === true ? found : serverNotEnabled(found.server);
}

/** Enabled servers that list this raw name: the original is accepted too while it is unique. */
function bareOwners(core: Core, kind: NameKind, raw: string): ServerName[] {
  const owners: ServerName[] = [];
  for (const [name, known] of core.servers)
    if (known.definition.enabled && known.keys[LIST_OF[kind]].includes(raw)) owners.push(name);
  return owners.sort();
}

/** What the host may have meant, for the error. */
function hint(core: Core, kind: NameKind, name: string): string | null {
  const exposed: string[] = [];
  for (const [server, known] of core.servers) {
    if (!known.definition.enabled) continue;
    for (const raw of known.keys[LIST_OF[kind]]) exposed.push(core.names.exposedName(kind, server, raw) ?? raw);
  }
  const close = core.config.closest(name, exposed);
  return close.length === 0 ? null : `close to it: ${close.join(', ')}`;
}

const LIST_OF = { tool: 'tools', prompt: 'prompts' } as const;
