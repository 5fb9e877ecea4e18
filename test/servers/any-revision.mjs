/**
 * A server of exactly one revision, which is strict about it: what its revision does not know is refused and recorded as a `violation`.
 *   --revision 2024-11-05 | 2025-03-26 | 2025-06-18 | 2025-11-25 | 2026-07-28
 *   --transport stdio (default) | http: 2024-11-05 then speaks HTTP+SSE at /sse, all others Streamable HTTP at /mcp; the first line on
 *                stdout is the URL
 *   --name NAME  also the authority of its URIs
 *   --lists by-capability (default: what asks the client is listed only to clients that declare it) | always
 */

import { serveSse } from './any-revision/http-sse.mjs';
import { serveModernHttp } from './any-revision/modern-http.mjs';
import { MODERN, REVISIONS } from './any-revision/revisions.mjs';
import { serveStdio } from './any-revision/stdio.mjs';
import { serveStreamable } from './any-revision/streamable-http.mjs';
import { flags } from './base.mjs';

const { revision, transport, name, lists } = flags({
  revision: MODERN,
  transport: 'stdio',
  name: 'any',
  lists: 'by-capability',
});
if (!REVISIONS.includes(revision)) throw new RangeError(`no revision ${revision}`);

const options = { revision, name, always: lists === 'always' };
if (transport === 'stdio') serveStdio(options);
else if (revision === MODERN) serveModernHttp(options);
else if (revision === REVISIONS[0]) serveSse(options);
else serveStreamable(options);
