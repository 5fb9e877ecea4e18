import { Client as ClientV2, StreamableHTTPClientTransport as HttpV2 } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioV2 } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport as SseV1 } from '@modelcontextprotocol/sdk/client/sse.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport as TransportV1 } from '@modelcontextprotocol/sdk/shared/transport.js';
import { CreateMessageRequestSchema, ResourceUpdatedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { ListedResource, ListedTool, Result } from './message.ts';
import { MODERN_REVISION } from './modern.ts';

/** The official SDK clients that hosts are built with: 1.x, and 2.x in both eras. Somebody else's reading of the specification. */
export const OFFICIAL_CLIENTS = ['sdk 1.x', 'client 2.x, legacy', 'client 2.x, modern'] as const;
export type OfficialClient = (typeof OFFICIAL_CLIENTS)[number];

export interface OfficialOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** Plays the host's model: gets the text that a server asks with, and gives the answer. Without it the host offers no sampling. */
  model?: (question: string) => string;
}

/** What the official clients have in common, under one set of names. Results are as they come out of the SDK. */
export interface OfficialHost {
  pid: number | undefined;
  era: 'legacy' | 'modern' | undefined;
  tools(): Promise<ListedTool[]>;
  call(name: string, args?: Record<string, unknown>): Promise<Result>;
  resources(): Promise<ListedResource[]>;
  templates(): Promise<{ uriTemplate: string }[]>;
  read(uri: string): Promise<Result>;
  prompts(): Promise<{ name: string }[]>;
  prompt(name: string, args?: Record<string, string>): Promise<Result>;
  complete(uriTemplate: string, argument: string, typed: string): Promise<string[]>;
  subscribe(uris: string[]): Promise<void>;
  /** URIs of which changes were reported. */
  updated: string[];
  close(): Promise<void>;
}

/** Where a host finds mcpd: a command to start, or an address with a token. `sse`: by the first revision's HTTP+SSE. */
export type Entrance = readonly string[] | { url: string; token: string; sse?: boolean };

/** Connects as a host would. */
export function connectOfficial(
  which: OfficialClient,
  entrance: Entrance,
  options: OfficialOptions = {},
): Promise<OfficialHost> {
  return which === 'sdk 1.x'
    ? connectV1(entrance, options)
    : connectV2(entrance, options, which === 'client 2.x, modern');
}

// — internal —

const INFO = { name: 'official-host', version: '1.0.0' };

function isCommand(entrance: Entrance): entrance is readonly string[] {
  return Array.isArray(entrance);
}

function started(command: readonly string[], options: OfficialOptions) {
  const [program = '', ...args] = command;
  return {
    command: program,
    args,
    env: definedOf(options.env ?? process.env),
    stderr: 'ignore' as const,
    ...(options.cwd && { cwd: options.cwd }),
  };
}

function addressed({ url, token }: { url: string; token: string }) {
  return [new URL(url), { requestInit: { headers: { Authorization: `Bearer ${token}` } } }] as const;
}

function transportV1(entrance: Entrance, options: OfficialOptions): StdioV1 | HttpV1 | SseV1 {
  if (isCommand(entrance)) return new StdioV1(started(entrance, options));
  return entrance.sse === true ? new SseV1(...addressed(entrance)) : new HttpV1(...addressed(entrance));
}

function transportV2(entrance: Entrance, options: OfficialOptions): StdioV2 | HttpV2 {
  return isCommand(entrance) ? new StdioV2(started(entrance, options)) : new HttpV2(...addressed(entrance));
}

async function connectV1(entrance: Entrance, options: OfficialOptions): Promise<OfficialHost> {
  const { model } = options;
  const client = new ClientV1(INFO, { capabilities: model === undefined ? {} : { sampling: {} } });
  const updated: string[] = [];
  if (model !== undefined)
    client.setRequestHandler(CreateMessageRequestSchema, ({ params }) => answerOf(model, params));
  client.setNotificationHandler(ResourceUpdatedNotificationSchema, ({ params }) => {
    updated.push(params.uri);
  });
  const transport = transportV1(entrance, options);
  // Its own types disagree where undefined may stand.
  await client.connect(transport as TransportV1);
  return {
    ...commonOf(client),
    pid: 'pid' in transport ? (transport.pid ?? undefined) : undefined,
    era: 'legacy',
    updated,
    subscribe: async (uris) => {
      for (const uri of uris) await client.subscribeResource({ uri });
    },
  };
}

async function connectV2(entrance: Entrance, options: OfficialOptions, modern: boolean): Promise<OfficialHost> {
  const { model } = options;
  const client = new ClientV2(INFO, {
    capabilities: model === undefined ? {} : { sampling: {} },
    versionNegotiation: { mode: modern ? { pin: MODERN_REVISION } : 'legacy' },
  });
  const updated: string[] = [];
  if (model !== undefined) client.setRequestHandler('sampling/createMessage', ({ params }) => answerOf(model, params));
  client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    updated.push(params.uri);
  });
  const transport = transportV2(entrance, options);
  await client.connect(transport);
  return {
    ...commonOf(client),
    pid: 'pid' in transport ? (transport.pid ?? undefined) : undefined,
    era: client.getProtocolEra(),
    updated,
    subscribe: async (uris) => {
      if (modern) await client.listen({ resourceSubscriptions: uris });
      else for (const uri of uris) await client.subscribeResource({ uri });
    },
  };
}

/** The methods that both SDKs have under the same names, with results as plain objects. Their own result types differ in small ways. */
interface Sdk {
  listTools(): Promise<Result>;
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<Result>;
  listResources(): Promise<Result>;
  listResourceTemplates(): Promise<Result>;
  readResource(resource: { uri: string }): Promise<Result>;
  listPrompts(): Promise<Result>;
  getPrompt(prompt: { name: string; arguments: Record<string, string> }): Promise<Result>;
  complete(request: unknown): Promise<{ completion: { values: string[] } }>;
  close(): Promise<void>;
}

function commonOf(client: ClientV1 | ClientV2) {
  const sdk = client as unknown as Sdk;
  return {
    tools: async () => (await sdk.listTools()).tools ?? [],
    call: (name: string, args: Record<string, unknown> = {}) => sdk.callTool({ name, arguments: args }),
    resources: async () => (await sdk.listResources()).resources ?? [],
    templates: async () => (await sdk.listResourceTemplates()).resourceTemplates ?? [],
    read: (uri: string) => sdk.readResource({ uri }),
    prompts: async () => (await sdk.listPrompts()).prompts ?? [],
    prompt: (name: string, args: Record<string, string> = {}) => sdk.getPrompt({ name, arguments: args }),
    complete: async (uriTemplate: string, argument: string, typed: string) => {
      const request = { ref: { type: 'ref/resource', uri: uriTemplate }, argument: { name: argument, value: typed } };
      return (await sdk.complete(request)).completion.values;
    },
    close: () => sdk.close(),
  };
}

function answerOf(model: (question: string) => string, params: { messages: { content: unknown }[] }) {
  const question = params.messages.map(({ content }) => (content as { text?: string }).text ?? '').join('\n');
  return { role: 'assistant' as const, model: 'test-model', content: { type: 'text' as const, text: model(question) } };
}

function definedOf(env: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
}
