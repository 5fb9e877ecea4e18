import type { MessageId } from '../message.ts';
import { MODERN, type Revision } from './wire.ts';

export const PREFIX = 'io.modelcontextprotocol/';

type Params = Record<string, unknown>;

export interface Question {
  /** Null where it came inside a result. */
  id: MessageId;
  method: string;
  params: Params;
}

/** Thrown instead of an answer. */
export class RefusedQuestion extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** All that a host of this revision can declare. */
export function capabilitiesOf(revision: Revision): Params {
  return {
    roots: revision === MODERN ? {} : { listChanged: true },
    sampling: {},
    ...(revision >= '2025-06-18' && { elicitation: revision >= '2025-11-25' ? { form: {}, url: {} } : {} }),
  };
}

/** What a host of this label answers: its label, and what it was asked. The words `decline` and `cancel` in a question are obeyed. */
export function answerOf(label: string, { method, params }: Pick<Question, 'method' | 'params'>): Params {
  if (method === 'roots/list') return { roots: [{ uri: `file:///home/${label}`, name: label }] };
  if (method === 'sampling/createMessage') {
    const [message] = params['messages'] as { content: { text: string } }[];
    const content = { type: 'text', text: `${label}: ${message?.content.text}` };
    return { role: 'assistant', model: 'a-model', content };
  }
  const question = String(params['message']);
  const refusal = /\b(decline|cancel)\b/.exec(question)?.[1];
  if (refusal !== undefined) return { action: refusal };
  if (params['mode'] === 'url') return { action: 'accept' };
  return { action: 'accept', content: { answer: `${label}: ${question}` } };
}

export function clientInfoOf(label: string): { name: string; version: string } {
  return { name: `host-${label}`, version: '1.0.0' };
}

/** The `_meta` that every request of the stateless revision carries. */
export function envelopeOf(label: string, capabilities: Params, logLevel: string | undefined): Params {
  return {
    [`${PREFIX}protocolVersion`]: MODERN,
    [`${PREFIX}clientCapabilities`]: capabilities,
    [`${PREFIX}clientInfo`]: clientInfoOf(label),
    ...(logLevel !== undefined && { [`${PREFIX}logLevel`]: logLevel }),
  };
}
