/**
 * Lists that never end.
 *   --mode same    the same cursor again and again (default)
 *   --mode cycle   two cursors in turn
 *   --mode fresh   a new cursor and a new tool on each page
 */
import { flags, record, serve, text } from './base.mjs';

const given = flags({ mode: 'same' });
let page = 0;

const NEXT = {
  same: () => 'more',
  cycle: () => (page % 2 === 0 ? 'even' : 'odd'),
  fresh: () => `page-${page}`,
};

serve({
  name: 'endless-cursor',
  tools: [],
  methods: {
    'tools/list': ({ cursor }) => {
      page++;
      record('page', { page, cursor });
      const name = given.mode === 'fresh' ? `tool-${page}` : 'tool';
      return { tools: [{ name, inputSchema: { type: 'object' } }], nextCursor: NEXT[given.mode]() };
    },
    'tools/call': ({ name }) => text(name),
  },
});
