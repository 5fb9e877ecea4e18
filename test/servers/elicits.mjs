/** Asks a person in the middle of a call: `order` wants a size, by a form. */
import { object, serve, text } from './base.mjs';

serve({
  name: 'elicits',
  tools: [
    {
      name: 'order',
      description: 'Orders what the person wants',
      call: async (_args, { peer }) => {
        const { action, content } = await peer.request('elicitation/create', {
          message: 'Which size?',
          requestedSchema: object({ size: { type: 'integer', title: 'size', minimum: 1 } }, ['size']),
        });
        return text(action === 'accept' ? `size ${content.size} is ordered` : 'nothing is ordered');
      },
    },
  ],
});
