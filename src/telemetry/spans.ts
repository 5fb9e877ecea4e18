import type { CallRecord } from '../core/call-record.ts';
import { type Stage, stagesOf } from '../core/stages.ts';

/** A call as a trace: what OpenTelemetry's conventions for MCP call its parts. Never arguments, URIs or results. */
export interface CallTrace {
  root: SpanPlan;
  children: SpanPlan[];
}

export interface SpanPlan {
  name: string;
  /** `server`: mcpd serves its host; `client`: it asks a server. */
  kind: 'server' | 'client' | 'internal';
  /** Milliseconds since 1970. */
  from: number;
  to: number;
  attributes: Record<string, string | number>;
  failed: boolean;
}

/** Pure. */
export function traceOf(record: CallRecord): CallTrace {
  const { at, totalMs } = record;
  const attributes = attributesOf(record);
  const failed = errorTypeOf(record) !== null;
  const sizes = { 'mcpd.request.size': record.requestBytes, 'mcpd.response.size': record.responseBytes };
  const whose = { 'mcp.session.id': record.session, 'mcpd.host': record.host };
  const root = { ...attributes, ...whose, ...sizes };
  const stages = stagesOf(record.marks, record);
  const last = stages.at(-1);
  return {
    root: { name: nameOf(record), kind: 'server', from: at, to: at + totalMs, attributes: root, failed },
    children: stages.map((stage): SpanPlan => {
      const span = { name: NAMES[stage.name], from: at + stage.fromMs, to: at + stage.toMs };
      const isCall = stage.name === 'server';
      return {
        ...span,
        kind: isCall ? 'client' : 'internal',
        attributes: isCall ? attributes : {},
        failed: failed && stage === last,
      };
    }),
  };
}

// — internal —

/** A call waits for its turn in a queue. */
const NAMES: Record<Stage['name'], string> = { start: 'start', turn: 'queue', server: 'server', input: 'input' };

function nameOf({ method, target }: CallRecord): string {
  // Not URIs: names of spans are few.
  return isNamed(method) && target !== '' ? `${method} ${target}` : method;
}

function attributesOf(record: CallRecord): Record<string, string | number> {
  const { method, target, server, outcome, errorCode } = record;
  const errorType = errorTypeOf(record);
  return {
    'rpc.system': 'jsonrpc',
    'mcp.method.name': method,
    'mcpd.server': server,
    'mcpd.outcome': outcome,
    ...(method === 'tools/call' ? { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': target } : {}),
    ...(method === 'prompts/get' ? { 'gen_ai.prompt.name': target } : {}),
    ...(errorCode === null ? {} : { 'rpc.response.status_code': String(errorCode) }),
    ...(errorType === null ? {} : { 'error.type': errorType }),
  };
}

/** Null also for what its host has cancelled: that is no fault. */
function errorTypeOf({ outcome, errorCode }: CallRecord): string | null {
  if (outcome === 'ok' || outcome === 'cancelled') return null;
  if (outcome === 'tool-error') return 'tool_error';
  if (outcome === 'error' && errorCode !== null) return String(errorCode);
  return outcome;
}

function isNamed(method: string): boolean {
  return method === 'tools/call' || method === 'prompts/get';
}
