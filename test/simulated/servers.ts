import { DEFAULT_LIMITS, type ServerDefinition, type ServerMemory, type StartMode } from '../../src/core/model.ts';
import type { Message } from './messages.ts';
import type { SimulatedProcess } from './processes.ts';
import type { World } from './world.ts';

/** What a simulated server is like. */
export interface Character {
  era?: 'legacy' | 'modern';
  tools?: readonly string[];
  /** Those of its tools that can be called as a task only. */
  taskTools?: readonly string[];
  prompts?: readonly string[];
  resources?: readonly string[];
  templates?: readonly string[];
  /** On top of those that its lists declare. */
  capabilities?: Record<string, unknown>;
  instructions?: string;
}

export function definitionOf(
  name: string,
  start: StartMode = 'on-demand',
  fingerprint = `print-of-${name}`,
): ServerDefinition {
  return {
    name,
    description: name,
    launch: { kind: 'stdio', command: '/bin/true', args: [], cwd: null, env: {} },
    start,
    sharing: 'auto',
    enabled: true,
    limits: DEFAULT_LIMITS,
    source: { kind: 'command', ref: 'true' },
    fingerprint,
    addedAt: 0,
  };
}

/** What the registry remembers of a server of this character. */
export function memoryOf(definition: ServerDefinition, character: Character = {}): ServerMemory {
  const { era = 'legacy', instructions = null } = character;
  const entries = entriesOf(character);
  return {
    fingerprint: definition.fingerprint,
    era,
    protocolVersion: era === 'modern' ? '2026-07-28' : '2025-11-25',
    serverInfo: '{"name":"fake","version":"1"}',
    capabilities: JSON.stringify(capabilitiesOf(character)),
    instructions,
    variants: [],
    callsBack: false,
    lists: (['tools', 'prompts', 'resources', 'templates'] as const).map((kind) => ({
      kind,
      entries: entries[kind].map((entry) => JSON.stringify(entry)),
      findings: [],
    })),
  };
}

/**
 * Answers what a sound server answers of itself, until nothing of that kind is asked any more; what it does not know stays in the inbox:
 * calls. A listen stays there too, since it is not answered while it lives.
 */
export function answerOwn(world: World, process: SimulatedProcess, character: Character): void {
  for (;;) {
    const at = process.inbox.findIndex((message) => ownResult(message, character) !== undefined);
    const [message] = at < 0 ? [] : process.inbox.splice(at, 1);
    if (message === undefined) return;
    world.serverSends(process, {
      jsonrpc: '2.0',
      id: message.id ?? null,
      ...(ownResult(message, character) as Pick<Message, 'result' | 'error'>),
    });
  }
}

/** `undefined` for what is not about the server itself. */
export function ownResult(message: Message, character: Character): Pick<Message, 'result' | 'error'> | undefined {
  const { era = 'legacy', instructions } = character;
  const entries = entriesOf(character);
  const complete = era === 'modern' ? { resultType: 'complete', ttlMs: 0, cacheScope: 'private' } : {};
  const greeting = {
    capabilities: capabilitiesOf(character),
    ...(instructions === undefined ? {} : { instructions }),
  };
  switch (message.method) {
    case 'server/discover':
      return era === 'modern'
        ? { result: { ...complete, supportedVersions: ['2026-07-28'], ...greeting } }
        : { error: { code: -32601, message: 'no such method' } };
    case 'initialize':
      return era === 'modern'
        ? { error: { code: -32601, message: 'no such method' } }
        : { result: { protocolVersion: '2025-11-25', serverInfo: { name: 'fake', version: '1' }, ...greeting } };
    case 'tools/list':
      return { result: { ...complete, tools: entries.tools } };
    case 'prompts/list':
      return { result: { ...complete, prompts: entries.prompts } };
    case 'resources/list':
      return { result: { ...complete, resources: entries.resources } };
    case 'resources/templates/list':
      return { result: { ...complete, resourceTemplates: entries.templates } };
    case 'ping':
    case 'logging/setLevel':
      return { result: {} };
    default:
      return undefined;
  }
}

// — internal —

function capabilitiesOf({ era, tools, prompts, resources, templates, capabilities = {} }: Character) {
  return {
    ...(tools === undefined ? {} : { tools: { listChanged: true } }),
    ...(prompts === undefined ? {} : { prompts: { listChanged: true } }),
    ...(resources === undefined && templates === undefined
      ? {}
      : { resources: { subscribe: true, listChanged: true } }),
    ...(era === 'modern' ? {} : { logging: {} }),
    ...capabilities,
  };
}

function entriesOf({ tools = [], taskTools = [], prompts = [], resources = [], templates = [] }: Character) {
  return {
    tools: tools.map((name) => ({
      name,
      inputSchema: { type: 'object' },
      ...(taskTools.includes(name) ? { execution: { taskSupport: 'required' } } : {}),
    })),
    prompts: prompts.map((name) => ({ name })),
    resources: resources.map((uri) => ({ uri, name: uri })),
    templates: templates.map((uriTemplate) => ({ uriTemplate, name: uriTemplate })),
  };
}
