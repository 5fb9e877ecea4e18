import type { Completion, CompletionRequest } from '../../../../src/api/contract/offers.ts';
import { post } from '../../api.ts';
import { textsOf } from './prompt-fields.ts';
import type { Given } from './schema-form.tsx';

/** Asks the server how the value of an argument may go on, told of the others. */
export function completionsOf(server: string, of: CompletionRequest['of']) {
  return (argument: string, value: string, soFar: Given, signal: AbortSignal): Promise<Completion> => {
    const { [argument]: _, ...known } = soFar;
    const request: CompletionRequest = { of, argument, value, known: textsOf(known) };
    return post<Completion>(`/api/servers/${server}/completions`, request, { signal });
  };
}
