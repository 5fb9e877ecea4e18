/**
 * Lists in pages, with opaque cursors and an empty last page: tools, resources, templates and prompts alike.
 *   --pages N   pages with something on them (default 3, two entries each)
 * A cursor it did not hand out is refused.
 */
import { flags, INVALID_PARAMS, RpcError, record, serve, text } from './base.mjs';

const ENTRIES_PER_PAGE = 2;
const pages = Number(flags({ pages: '3' }).pages);

/** One list method: `entry(n)` makes entry number n. */
function paged(key, entry) {
  return ({ cursor }) => {
    const page = cursor === undefined ? 0 : pageOf(key, cursor);
    record('page', { key, page });
    const first = page * ENTRIES_PER_PAGE;
    const entries = page < pages ? Array.from({ length: ENTRIES_PER_PAGE }, (_, n) => entry(first + n)) : [];
    return { [key]: entries, ...(page < pages && { nextCursor: cursorOf(key, page + 1) }) };
  };
}

const cursorOf = (key, page) => Buffer.from(`${key}/${page}`).toString('base64');

function pageOf(key, cursor) {
  const [list, page] = Buffer.from(String(cursor), 'base64').toString().split('/');
  if (list !== key || !/^\d+$/.test(page ?? '')) throw new RpcError(INVALID_PARAMS, 'Unknown cursor');
  return Number(page);
}

serve({
  name: 'paged',
  capabilities: { tools: {}, resources: {}, prompts: {} },
  methods: {
    'tools/list': paged('tools', (n) => ({ name: `tool-${n}`, inputSchema: { type: 'object' } })),
    'resources/list': paged('resources', (n) => ({ uri: `paged://item/${n}`, name: `item-${n}` })),
    'resources/templates/list': paged('resourceTemplates', (n) => ({
      uriTemplate: `paged://kind-${n}/{id}`,
      name: `kind-${n}`,
    })),
    'prompts/list': paged('prompts', (n) => ({ name: `prompt-${n}` })),
    'tools/call': ({ name }) => text(name),
    'resources/read': ({ uri }) => ({ contents: [{ uri, text: uri }] }),
    'prompts/get': ({ name }) => ({ messages: [{ role: 'user', content: { type: 'text', text: name } }] }),
  },
});
