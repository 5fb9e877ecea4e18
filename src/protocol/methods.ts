/**
 * What mcpd does with each request of a host. Absence is "method not found". `at` says where the name or URI sits that decides the
 * server; `local` is answered by mcpd; `list` from the cached lists, without any server.
 */
export type Route =
  | { kind: 'local'; eras: 'legacy' | 'both' }
  | { kind: 'list'; list: 'tools' | 'prompts' | 'resources' | 'templates' }
  | { kind: 'listen'; eras: 'modern' }
  /** `extension`: nowhere; the server is the one that declares the extension to which the method belongs. */
  | { kind: 'call'; at: 'tool' | 'prompt' | 'uri' | 'ref' | 'extension' }
  /** About a task: `at` says where its id sits. Legacy hosts have them by their revision, modern ones by an extension. */
  | { kind: 'task'; at: 'task'; eras: 'legacy' | 'modern' | 'both' }
  | { kind: 'task-list'; eras: 'legacy' }
  /** Of legacy hosts; modern ones name their URIs in subscriptions/listen. */
  | { kind: 'subscription'; eras: 'legacy'; change: 'subscribe' | 'unsubscribe' };

const ROUTES: ReadonlyMap<string, Route> = new Map<string, Route>([
  ['initialize', { kind: 'local', eras: 'legacy' }],
  ['ping', { kind: 'local', eras: 'legacy' }],
  ['logging/setLevel', { kind: 'local', eras: 'legacy' }],
  ['server/discover', { kind: 'local', eras: 'both' }],
  ['subscriptions/listen', { kind: 'listen', eras: 'modern' }],
  ['tools/list', { kind: 'list', list: 'tools' }],
  ['prompts/list', { kind: 'list', list: 'prompts' }],
  ['resources/list', { kind: 'list', list: 'resources' }],
  ['resources/templates/list', { kind: 'list', list: 'templates' }],
  ['tools/call', { kind: 'call', at: 'tool' }],
  ['prompts/get', { kind: 'call', at: 'prompt' }],
  ['resources/read', { kind: 'call', at: 'uri' }],
  ['completion/complete', { kind: 'call', at: 'ref' }],
  ['resources/directory/read', { kind: 'call', at: 'uri' }],
  ['skills/get', { kind: 'call', at: 'uri' }],
  ['skills/list', { kind: 'call', at: 'extension' }],
  ['tasks/get', { kind: 'task', at: 'task', eras: 'both' }],
  ['tasks/cancel', { kind: 'task', at: 'task', eras: 'both' }],
  ['tasks/result', { kind: 'task', at: 'task', eras: 'legacy' }],
  ['tasks/update', { kind: 'task', at: 'task', eras: 'modern' }],
  ['tasks/list', { kind: 'task-list', eras: 'legacy' }],
  ['resources/subscribe', { kind: 'subscription', eras: 'legacy', change: 'subscribe' }],
  ['resources/unsubscribe', { kind: 'subscription', eras: 'legacy', change: 'unsubscribe' }],
]);

/** The extension to which the methods with no name and no URI belong. */
export const SKILLS_EXTENSION = 'io.modelcontextprotocol/skills';

/** What to do with this request of a host of this era; null is "method not found". */
export function routeOf(method: string, era: 'legacy' | 'modern'): Route | null {
  const route = ROUTES.get(method);
  if (route === undefined) return null;
  return 'eras' in route && route.eras !== 'both' && route.eras !== era ? null : route;
}

/** Per kind of list: the request, the member of the result, what identifies an entry, the capability that declares it, and its notice. */
export const LISTS = {
  tools: {
    method: 'tools/list',
    member: 'tools',
    key: 'name',
    capability: 'tools',
    notice: 'notifications/tools/list_changed',
    filter: 'toolsListChanged',
  },
  prompts: {
    method: 'prompts/list',
    member: 'prompts',
    key: 'name',
    capability: 'prompts',
    notice: 'notifications/prompts/list_changed',
    filter: 'promptsListChanged',
  },
  resources: {
    method: 'resources/list',
    member: 'resources',
    key: 'uri',
    capability: 'resources',
    notice: 'notifications/resources/list_changed',
    filter: 'resourcesListChanged',
  },
  templates: {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
    capability: 'resources',
    notice: 'notifications/resources/list_changed',
    filter: 'resourcesListChanged',
  },
} as const;

export const LOG_LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/** True when a message of `level` is wanted by somebody who asked for `threshold`; a level that is not MCP's always passes. */
export function levelReaches(level: unknown, threshold: LogLevel): boolean {
  return !isLogLevel(level) || LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(threshold);
}
