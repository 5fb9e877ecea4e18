import type { Gateway } from '../core/gateway.ts';
import type { Scope, ServerMemory } from '../core/model.ts';
import { headersOfTool, type ToolHeader } from '../hosts/http/tool-headers.ts';

/** Which arguments of a tool a host must repeat in headers, from the lists that are remembered. */
export class ToolHeaders {
  readonly #view: Gateway['view'];
  /** Read once for each memory: it is replaced when a list changes. */
  readonly #read = new WeakMap<ServerMemory, ReadonlyMap<string, readonly ToolHeader[]>>();

  constructor(view: Gateway['view']) {
    this.#view = view;
  }

  /** `name` as the host of this scope knows it; empty for a tool that nobody knows. */
  of(scope: Scope, name: string): readonly ToolHeader[] {
    const { servers, names } = this.#view;
    const exposed = names.target('tool', name);
    if (scope.kind === 'server') return this.#ofServer(scope.server, name) ?? NONE;
    if (exposed !== null && servers.has(exposed.server)) return this.#ofServer(exposed.server, exposed.raw) ?? NONE;
    // The bare name of a tool, which counts while only one server has it.
    for (const [server, known] of servers)
      if (known.keys.tools.includes(name)) return this.#ofServer(server, name) ?? NONE;
    return NONE;
  }

  #ofServer(server: string, raw: string): readonly ToolHeader[] | undefined {
    const memory = this.#view.servers.get(server)?.memory ?? null;
    if (memory === null) return undefined;
    const known = this.#read.get(memory) ?? annotated(memory);
    this.#read.set(memory, known);
    return known.get(raw);
  }
}

// — internal —

const NONE: readonly ToolHeader[] = [];

/** The tools of a memory that have such arguments, by their raw names. */
function annotated({ lists, variants }: ServerMemory): ReadonlyMap<string, readonly ToolHeader[]> {
  const found = new Map<string, readonly ToolHeader[]>();
  for (const list of [...variants.flatMap((variant) => variant.lists), ...lists]) {
    for (const entry of list.kind === 'tools' ? list.entries : []) {
      const headers = headersOfTool(entry);
      if (headers.length > 0) found.set((JSON.parse(entry) as { name: string }).name, headers);
    }
  }
  return found;
}
