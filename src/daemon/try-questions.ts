import type { TryAnswer, TryQuestion } from '../api/contract/tries.ts';
import { messageOf } from '../hosts/http/body.ts';
import { join } from '../protocol/bytes.ts';
import type { Bytes, Frame, RawId } from '../protocol/frame.ts';
import { errorText, resultText } from '../protocol/jsonrpc.ts';
import { member, text } from '../protocol/members.ts';
import { showableRawJson } from '../text.ts';

/** What a server asks in the middle of a try: how a person is shown it, and how he answers. Pure. */

/** What a try can be asked, as a host declares it. */
export const TRY_CAPABILITIES = { elicitation: { form: {}, url: {} }, roots: {}, sampling: {} };

/** `roots` is answered by nobody: there are no folders here. */
export type Asked = TryQuestion | { mode: 'roots' };

/** What a person can be shown of a question; or why he is not. */
export function questionOf(question: Bytes): Asked | { refused: string } {
  const bytes = join(question);
  const { method, params } = readMessage(bytes);
  switch (method) {
    case 'elicitation/create':
      return elicitationOf(params, memberOfParams(bytes, 'requestedSchema'));
    case 'sampling/createMessage':
      return samplingOf(params);
    case 'roots/list':
      return { mode: 'roots' };
    default:
      return { refused: `${String(method)} is answered by nobody here` };
  }
}

/** The answer to a question of the server. Null: it is nested too deeply. */
export function answering(id: RawId, question: Asked, { action, content, text }: TryAnswer): Frame | null {
  switch (question.mode) {
    case 'roots':
      return frameOf(resultText(id, '{"roots":[]}'));
    case 'sampling': {
      if (action !== 'accept') return frameOf(errorText(id, REJECTED, 'a person rejected it'));
      const said = { type: 'text', text: text ?? '' };
      const message = { role: 'assistant', content: said, model: 'a person', stopReason: 'endTurn' };
      return frameOf(resultText(id, JSON.stringify(message)));
    }
    case 'form':
    case 'url': {
      const filled = action === 'accept' && question.mode === 'form' ? { content: content ?? {} } : {};
      return frameOf(resultText(id, JSON.stringify({ action, ...filled })));
    }
  }
}

/** A small message of ours as what comes in. */
export function frameOf(line: string): Frame | null {
  const message = messageOf([Buffer.from(line)]);
  return typeof message === 'object' && 'envelope' in message ? message : null;
}

export function readMessage(bytes: Uint8Array): { method: unknown; params: Record<string, unknown> } {
  const message = objectOf(JSON.parse(text(bytes, { start: 0, end: bytes.length })));
  return { method: message['method'], params: objectOf(message['params']) };
}

export function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

export function words(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** Raw JSON. */
export function memberOfParams(bytes: Uint8Array, key: string): string | null {
  const params = member(bytes, { start: 0, end: bytes.length }, 'params');
  const found = params === null ? null : member(bytes, params, key);
  return found === null ? null : text(bytes, found);
}

// — internal —

const LINKS = ['https:', 'http:'];
/** The specification's own for a person who says no. */
const REJECTED = -1;

function elicitationOf(params: Record<string, unknown>, schema: string | null): Asked | { refused: string } {
  const message = words(params['message']) ?? '';
  if (params['mode'] !== 'url') return { mode: 'form', message, schema: showableRawJson(schema ?? '{}') };
  const url = words(params['url']) ?? '';
  const parsed = URL.canParse(url) ? new URL(url) : null;
  if (parsed === null || !LINKS.includes(parsed.protocol))
    return { refused: 'it sends a person to an address that is not http or https' };
  return { mode: 'url', message, url: parsed.href, host: parsed.host };
}

function samplingOf(params: Record<string, unknown>): Asked {
  const messages = Array.isArray(params['messages']) ? params['messages'].map(objectOf) : [];
  const maxTokens = params['maxTokens'];
  return {
    mode: 'sampling',
    systemPrompt: words(params['systemPrompt']),
    messages: messages.map(({ role, content }) => ({ role: words(role) ?? '', text: contentText(content) })),
    maxTokens: typeof maxTokens === 'number' ? maxTokens : null,
  };
}

function contentText(content: unknown): string {
  const { type, text: said } = objectOf(content);
  return type === 'text' && typeof said === 'string' ? said : (JSON.stringify(content) ?? '');
}
