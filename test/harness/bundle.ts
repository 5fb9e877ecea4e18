import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ZipEntry, type ZipOptions, zipOf } from './zip.ts';

/** Bundles (MCPB) that servers in them answer, each with a tool that tells how it was started. */

export const inBundle = (name: string) => ['$', '{', name, '}'].join('');

/** A whole server in a file of JavaScript: its tool `started` tells its arguments, its folder and its variables. */
export const NODE_SERVER = `#!/usr/bin/env node
const { createInterface } = require('node:readline');
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
const told = () => ({ args: process.argv.slice(2), cwd: process.cwd(), file: __filename, env: process.env });
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'in-bundle', version: '1' } });
  if (method === 'tools/list') answer(id, { tools: [{ name: 'started', inputSchema: { type: 'object' } }] });
  if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: JSON.stringify(told()) }] });
});
`;

/** The same in Python, with a module that the bundle brings along. */
export const PYTHON_SERVER = `import json, os, sys
from bundled import NAME
def answer(id, result):
    print(json.dumps({'jsonrpc': '2.0', 'id': id, 'result': result}), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    id, method = message.get('id'), message.get('method')
    if method == 'initialize':
        answer(id, {'protocolVersion': '2025-11-25', 'capabilities': {'tools': {}}, 'serverInfo': {'name': NAME, 'version': '1'}})
    if method == 'tools/list':
        answer(id, {'tools': [{'name': 'started', 'inputSchema': {'type': 'object'}}]})
    if method == 'tools/call':
        text = json.dumps({'args': sys.argv[1:], 'cwd': os.getcwd(), 'file': os.path.abspath(__file__), 'env': dict(os.environ)})
        answer(id, {'content': [{'type': 'text', 'text': text}]})
`;

export interface BundleParts {
  manifest?: object;
  files?: Record<string, string>;
  /** In the place of `files`. */
  entries?: ZipEntry[];
  options?: ZipOptions;
}

/** A bundle with a server of JavaScript, unless something else is said. */
export function bundleOf({
  manifest = {},
  files = { 'server/index.js': NODE_SERVER },
  entries,
  options,
}: BundleParts): Buffer {
  const whole = {
    manifest_version: '0.3',
    name: 'tiny-bundle',
    version: '1.2.3',
    description: 'A tiny\n bundle',
    author: { name: 'Acme' },
    server: {
      type: 'node',
      entry_point: 'server/index.js',
      mcp_config: { command: 'node', args: [`${inBundle('__dirname')}/server/index.js`] },
    },
    ...manifest,
  };
  const own = entries ?? Object.entries(files).map(([name, content]): ZipEntry => ({ name, content }));
  return zipOf([{ name: 'manifest.json', content: JSON.stringify(whole) }, ...own], options);
}

/** @returns its path */
export function writeBundle(folder: string, parts: BundleParts, name = 'tiny.mcpb'): string {
  const path = join(folder, name);
  writeFileSync(path, bundleOf(parts));
  return path;
}
