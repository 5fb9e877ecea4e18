import type { Message } from './messages.ts';

export interface SimulatedHost {
  session: string;
  era: 'legacy' | 'modern';
  /** What it declares that it can be asked. */
  capabilities: object;
  nextId: number;
  /** Requests without an answer, by JSON text of the id. */
  open: Map<string, string>;
  cancelled: Set<string>;
  /** Listens that were acknowledged and not ended. */
  listening: Set<string>;
  /** By progress token: the request, and how far it has come. */
  progress: Map<string, { key: string; last: number }>;
  answers: Map<string, Message>;
  notices: Message[];
  /** What it was asked, in order; nothing is taken out by itself. */
  questions: Message[];
  /** All that it was sent, as text. */
  lines: string[];
}

export function newHost(session: string, era: SimulatedHost['era'], capabilities: object = {}): SimulatedHost {
  return {
    session,
    era,
    capabilities,
    nextId: 1,
    open: new Map(),
    cancelled: new Set(),
    listening: new Set(),
    progress: new Map(),
    answers: new Map(),
    notices: [],
    questions: [],
    lines: [],
  };
}

/** A notice that belongs to a request must find it open, or a task in its place, and progress must go forward. */
export function checkNotice(host: SimulatedHost, { method, params = {} }: Message): void {
  const line = JSON.stringify({ method, params });
  if (method === 'notifications/progress') {
    const progress = host.progress.get(JSON.stringify(params['progressToken']));
    const value = Number(params['progress']);
    const { result } = host.answers.get(progress?.key ?? '') ?? {};
    const isOpen = host.open.has(progress?.key ?? '') || Object.hasOwn(Object(result), 'task');
    if (progress === undefined || !isOpen || value <= progress.last)
      throw new RangeError(`progress that belongs to nothing, at ${host.session}: ${line}`);
    progress.last = value;
  }
  const meta = params['_meta'] as Record<string, unknown> | undefined;
  const listen = meta?.['io.modelcontextprotocol/subscriptionId'];
  if (listen === undefined) return;
  const key = JSON.stringify(listen);
  if (method === 'notifications/subscriptions/acknowledged' && host.open.delete(key)) host.listening.add(key);
  if (!host.listening.has(key)) throw new RangeError(`a notice on no listen, at ${host.session}: ${line}`);
}
