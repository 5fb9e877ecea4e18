/**
 * Start it twice with different names: both have the same tool, resource URIs, template and prompt, and every answer says whose it is.
 *   --name NAME
 */
import { flags, record, serve, text } from './base.mjs';

const { name } = flags({ name: 'collide' });
const subscribed = new Set();

serve({
  name,
  capabilities: { tools: {}, prompts: {}, resources: { subscribe: true } },
  tools: [
    { name: 'who', description: `The tool of ${name}`, call: () => text(name) },
    {
      name: 'change',
      description: 'Tells subscribers of shared://note',
      call: (_args, { peer }) => {
        if (subscribed.has('shared://note')) peer.notify('notifications/resources/updated', { uri: 'shared://note' });
        return text('changed');
      },
    },
  ],
  resources: [
    { uri: 'shared://note', name: 'note', description: `The note of ${name}`, read: () => name },
    { uri: 'file:///etc/shared.conf', name: 'conf', read: () => name },
  ],
  templates: [
    {
      uriTemplate: 'shared://item/{id}',
      name: 'item',
      pattern: /^shared:\/\/item\/(.+)$/,
      read: (_uri, [, id]) => `${name} ${id}`,
    },
  ],
  prompts: [
    {
      name: 'same',
      description: `The prompt of ${name}`,
      get: () => ({ messages: [{ role: 'user', content: { type: 'text', text: name } }] }),
    },
  ],
  methods: {
    'resources/subscribe': ({ uri }) => {
      subscribed.add(uri);
      record('subscribe', { uri });
      return {};
    },
    'resources/unsubscribe': ({ uri }) => {
      subscribed.delete(uri);
      record('unsubscribe', { uri });
      return {};
    },
  },
});
