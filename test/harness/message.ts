/** JSON-RPC and MCP messages as a test sees them: everything optional, unknown members kept. */

export type MessageId = string | number | null;

interface ContentBlock {
  type: string;
  text?: string;
  [member: string]: unknown;
}

export interface ListedTool {
  name: string;
  title?: string;
  description?: string;
  inputSchema?: Record<string, unknown>;
  outputSchema?: Record<string, unknown>;
  annotations?: Record<string, unknown>;
  [member: string]: unknown;
}

export interface ListedResource {
  uri: string;
  name: string;
  mimeType?: string;
  [member: string]: unknown;
}

interface ResourceContents {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
  [member: string]: unknown;
}

/** Any result of MCP: the members that tests look at have types, the rest stays unknown. */
export interface Result {
  protocolVersion?: string;
  supportedVersions?: string[];
  capabilities?: Record<string, Record<string, unknown>>;
  serverInfo?: { name: string; version: string };
  instructions?: string;
  tools?: ListedTool[];
  prompts?: { name: string; [member: string]: unknown }[];
  resources?: ListedResource[];
  resourceTemplates?: { uriTemplate: string; name: string; [member: string]: unknown }[];
  nextCursor?: string;
  content?: ContentBlock[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
  contents?: ResourceContents[];
  messages?: { role: string; content: ContentBlock }[];
  resultType?: string;
  inputRequests?: Record<string, { method: string; params?: Record<string, unknown> }>;
  requestState?: string;
  ttlMs?: number;
  cacheScope?: string;
  _meta?: Record<string, unknown>;
  [member: string]: unknown;
}

interface RpcError {
  code: number;
  message: string;
  data?: Record<string, unknown>;
}

export interface Message {
  jsonrpc?: string;
  id?: MessageId;
  method?: string;
  params?: Record<string, unknown>;
  result?: Result;
  error?: RpcError;
}

/** All text blocks of a tool result, one after another. */
export function textOf(answer: { result?: Result }): string {
  return (answer.result?.content ?? []).map((block) => block.text ?? '').join('\n');
}
