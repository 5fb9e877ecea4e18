/**
 * Three speeds: `hang` never answers, `slow` answers after `ms`, `fast` at once. Calls and cancellations are recorded with the ids
 * under which they arrived. A cancelled call is not answered.
 */
import { object, record, serve, text } from './base.mjs';

serve({
  name: 'slow',
  tools: [
    { name: 'hang', description: 'Never answers', call: (_args, { id }) => record('open', { name: 'hang', id }) },
    {
      name: 'slow',
      description: 'Answers after so many milliseconds',
      inputSchema: object({ ms: { type: 'integer' } }, ['ms']),
      call: ({ ms }, { id, signal }) => {
        record('open', { name: 'slow', id });
        return new Promise((resolve) => {
          const timer = setTimeout(() => resolve(text(`after ${ms} ms`)), ms);
          signal.addEventListener('abort', () => {
            clearTimeout(timer);
            resolve(undefined);
          });
        });
      },
    },
    { name: 'fast', description: 'Answers at once', call: () => text('fast') },
  ],
});
