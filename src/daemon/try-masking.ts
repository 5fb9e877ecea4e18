import type { TryEvent, TryQuestion } from '../api/contract/tries.ts';

type Mask = (text: string) => string;

/**
 * What a try shows of a server's words, without its secrets. A form's fields and a link stay to the letter: they are answered and opened.
 * Pure.
 */
export function maskedEvent(event: TryEvent, mask: Mask): TryEvent {
  const orNull = (text: string | null) => (text === null ? null : mask(text));
  switch (event.type) {
    case 'result':
      return { ...event, result: mask(event.result) };
    case 'progress':
      return { ...event, message: orNull(event.message) };
    case 'log':
      return { ...event, logger: orNull(event.logger), data: mask(event.data) };
    case 'question':
      return { ...event, params: maskedQuestion(event.params, mask) };
    case 'failed': {
      const { what, why } = event.error;
      const rpc = event.rpc;
      return {
        ...event,
        error: { ...event.error, what: mask(what), ...(why === undefined ? {} : { why: mask(why) }) },
        rpc: rpc === null ? null : { ...rpc, message: mask(rpc.message), data: orNull(rpc.data) },
      };
    }
    default:
      return event;
  }
}

// — internal —

function maskedQuestion(question: TryQuestion, mask: Mask): TryQuestion {
  if (question.mode !== 'sampling') return { ...question, message: mask(question.message) };
  return {
    ...question,
    systemPrompt: question.systemPrompt === null ? null : mask(question.systemPrompt),
    messages: question.messages.map(({ role, text }) => ({ role, text: mask(text) })),
  };
}
