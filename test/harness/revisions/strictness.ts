/** What a host of a revision may not be sent. Each function gives the faults it found, as sentences. */
import type { Result } from '../message.ts';
import { MODERN, type Revision } from './wire.ts';

const ROUNDS_IN = ['tools/call', 'prompts/get', 'resources/read'];
const CACHED = [
  'server/discover',
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
];
const BLOCKS_SINCE: Record<string, Revision> = {
  text: '2024-11-05',
  image: '2024-11-05',
  resource: '2024-11-05',
  audio: '2025-03-26',
  resource_link: '2025-06-18',
};
const NOTICES: Record<string, [since: Revision, until: Revision]> = {
  'notifications/progress': ['2024-11-05', MODERN],
  'notifications/message': ['2024-11-05', MODERN],
  'notifications/cancelled': ['2024-11-05', MODERN],
  'notifications/tools/list_changed': ['2024-11-05', MODERN],
  'notifications/prompts/list_changed': ['2024-11-05', MODERN],
  'notifications/resources/list_changed': ['2024-11-05', MODERN],
  'notifications/resources/updated': ['2024-11-05', MODERN],
  'notifications/elicitation/complete': ['2025-11-25', '2025-11-25'],
  'notifications/subscriptions/acknowledged': [MODERN, MODERN],
};
const QUESTIONS: Record<string, [since: Revision, capability: string]> = {
  'roots/list': ['2024-11-05', 'roots'],
  'sampling/createMessage': ['2024-11-05', 'sampling'],
  'elicitation/create': ['2025-06-18', 'elicitation'],
};
/** Codes that no modern host may meet: those of older revisions, and the range that is used no more. */
const isOldCode = (code: number) => code === URL_NEEDED || (code <= -32_000 && code >= -32_019);
const URL_NEEDED = -32_042;

export function faultsOfResult(revision: Revision, method: string, result: Result): string[] {
  return [...shapeFaults(revision, method, result), ...bodyFaults(revision, method, result)];
}

export function faultsOfError(revision: Revision, code: unknown): string[] {
  if (typeof code !== 'number' || !Number.isInteger(code)) return ['an error without a code'];
  if (revision === MODERN && isOldCode(code)) return [`the code ${code}, which is none of this revision`];
  const isKnown = code === URL_NEEDED && revision === '2025-11-25';
  if (revision !== MODERN && !isKnown && code <= -32_020 && code >= -32_099)
    return [`the code ${code} of a later revision`];
  return [];
}

export function faultsOfNotice(revision: Revision, method: string): string[] {
  const [since, until] = NOTICES[method] ?? [];
  if (since === undefined || until === undefined) return [`the unknown notification ${method}`];
  return since <= revision && revision <= until ? [] : [`${method}, which is none of this revision`];
}

/** A request of the other side, or one that came in `input_required`. */
export function faultsOfQuestion(
  revision: Revision,
  capabilities: Record<string, unknown>,
  method: string,
  params: Record<string, unknown> = {},
): string[] {
  const [since, capability] = QUESTIONS[method] ?? [];
  if (since === undefined || capability === undefined) return [`the unknown request ${method}`];
  if (revision < since) return [`${method}, which came with a later revision`];
  if (capabilities[capability] === undefined) return [`${method}, which was not declared`];
  return method === 'elicitation/create' ? elicitationFaults(revision, capabilities[capability], params) : [];
}

// — internal —

function shapeFaults(revision: Revision, method: string, result: Result): string[] {
  if (revision !== MODERN)
    return ['resultType', 'ttlMs', 'cacheScope', 'requestState', 'inputRequests']
      .filter((member) => result[member] !== undefined)
      .map((member) => `${member} in a result, which is newer than this host`);
  if (result.resultType === 'input_required')
    return ROUNDS_IN.includes(method) ? [] : [`input_required to ${method}, which cannot have it`];
  if (result.resultType !== 'complete') return [`resultType ${String(result.resultType)}`];
  const cached = Number.isInteger(result.ttlMs) && ['public', 'private'].includes(String(result.cacheScope));
  return CACHED.includes(method) && !cached ? ['a result without ttlMs and cacheScope'] : [];
}

function bodyFaults(revision: Revision, method: string, result: Result): string[] {
  if (result.resultType === 'input_required') return [];
  switch (method) {
    case 'initialize':
      return result.protocolVersion === revision ? [] : [`revision ${result.protocolVersion} instead of ${revision}`];
    case 'tools/list':
      return (result.tools ?? [undefined]).flatMap((tool) => toolFaults(revision, tool));
    case 'tools/call':
      return callFaults(revision, result);
    case 'prompts/get':
      return (result.messages ?? []).flatMap(({ content }) => blockFaults(revision, content));
    case 'resources/read':
      return (result.contents ?? []).length > 0 ? [] : ['a resource without contents'];
    default:
      return [];
  }
}

function toolFaults(revision: Revision, tool: NonNullable<Result['tools']>[number] | undefined): string[] {
  if (tool === undefined) return ['a list without tools'];
  return [
    ...(typeof tool.name === 'string' && tool.name !== '' ? [] : ['a tool without a name']),
    ...(tool.inputSchema?.['type'] === 'object' ? [] : [`${tool.name} takes no object`]),
    ...(revision !== MODERN && tool.outputSchema !== undefined && tool.outputSchema['type'] !== 'object'
      ? [`${tool.name} gives no object`]
      : []),
    ...(revision === MODERN && tool['execution'] !== undefined ? [`${tool.name} has execution`] : []),
  ];
}

function callFaults(revision: Revision, { content, structuredContent }: Result): string[] {
  if (!Array.isArray(content)) return ['a tool result without content'];
  const isObject = typeof structuredContent === 'object' && !Array.isArray(structuredContent);
  const structured = revision !== MODERN && structuredContent !== undefined && !isObject;
  return [
    ...content.flatMap((block) => blockFaults(revision, block)),
    ...(structured ? ['structuredContent that is no object'] : []),
  ];
}

function blockFaults(revision: Revision, block: { type?: unknown }): string[] {
  const since = BLOCKS_SINCE[String(block.type)];
  return since === undefined || since > revision ? [`a block of the unknown type ${String(block.type)}`] : [];
}

function elicitationFaults(revision: Revision, declared: unknown, params: Record<string, unknown>): string[] {
  const mode = params['mode'] ?? 'form';
  if (typeof params['message'] !== 'string') return ['an elicitation without a message'];
  if (mode === 'form') return typeof params['requestedSchema'] === 'object' ? [] : ['an elicitation without a schema'];
  if (mode !== 'url') return [`an elicitation of the unknown mode ${String(mode)}`];
  if ((declared as Record<string, unknown>)['url'] === undefined) return ['an elicitation by URL, not declared'];
  const named = typeof params['elicitationId'] === 'string';
  if (revision === '2025-11-25' && !named) return ['an elicitation by URL without an id'];
  return typeof params['url'] === 'string' ? [] : ['an elicitation by URL without one'];
}
