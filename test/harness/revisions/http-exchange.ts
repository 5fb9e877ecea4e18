import { createParser } from 'eventsource-parser';
import type { Message } from '../message.ts';

/** Calls `onEvent` for each event of the stream, until it ends or is aborted. */
export async function readEvents(
  response: Response,
  onEvent: (data: string, event: string | undefined) => void,
): Promise<void> {
  const parser = createParser({
    // The empty first event of a stream that can be resumed carries an id and nothing else.
    onEvent: ({ data, event }) => data !== '' && onEvent(data, event),
  });
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) parser.feed(decoder.decode(chunk as Uint8Array, { stream: true }));
}

/** The messages of an answer to a POST: of its JSON body, of its stream, or none. @throws {Error} the body is neither */
export async function readMessages(response: Response, onMessage: (message: Message) => void): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (type.startsWith('text/event-stream')) {
    await readEvents(response, (data) => onMessage(JSON.parse(data) as Message));
    return;
  }
  const body = await response.text();
  // What is accepted may say so in words.
  if (body === '' || response.status === 202) return;
  if (!type.startsWith('application/json')) throw new Error(`${response.status} ${type}: ${body.slice(0, 200)}`);
  onMessage(JSON.parse(body) as Message);
}

/** Was the reason that we wanted no more of it? */
export function isAbort(error: unknown): boolean {
  return error instanceof Error && error.name === 'AbortError';
}
