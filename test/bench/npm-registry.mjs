/** A registry of npm on the loopback with one package: the server of every measurement, as `npm pack` packs it. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/** The package. Its name leaves no doubt at any other registry. */
export const PACKAGE = '@mcpd-bench/echo';

const FILES = ['echo-server.mjs', 'line-splitter.mjs'];
const MANIFEST = { name: PACKAGE, version: '1.0.0', type: 'module', bin: { 'mcpd-bench-echo': 'cli.mjs' } };
const START = "#!/usr/bin/env node\nimport './echo-server.mjs';\n";

/** Resolves with its address, for `registry=` of an .npmrc, and `close`. */
export async function startNpmRegistry(place) {
  const tarball = await packed(place);
  const server = createServer(({ url }, response) => {
    const asked = decodeURIComponent(url.slice(1));
    if (asked === 'echo.tgz') return response.writeHead(200).end(tarball);
    const answer = asked === PACKAGE ? documentOf(tarball, address()) : { error: 'Not found' };
    response.writeHead(asked === PACKAGE ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answer));
  });
  const address = () => `http://127.0.0.1:${server.address().port}/`;
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  };
  return { address: address(), close };
}

// — internal —

async function packed(place) {
  const folder = place.folder('package');
  for (const name of FILES) copyFileSync(fileURLToPath(new URL(name, import.meta.url)), join(folder, name));
  writeFileSync(join(folder, 'cli.mjs'), START, { mode: 0o755 });
  writeFileSync(join(folder, 'package.json'), JSON.stringify(MANIFEST));
  const args = ['pack', '--json', '--pack-destination', place.root];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder, env: place.env });
  const [{ filename }] = Object.values(JSON.parse(stdout));
  return readFileSync(join(place.root, filename));
}

function documentOf(tarball, address) {
  const hash = (algorithm, encoding) => createHash(algorithm).update(tarball).digest(encoding);
  const dist = {
    tarball: `${address}echo.tgz`,
    shasum: hash('sha1', 'hex'),
    integrity: `sha512-${hash('sha512', 'base64')}`,
  };
  const { version } = MANIFEST;
  return { name: PACKAGE, 'dist-tags': { latest: version }, versions: { [version]: { ...MANIFEST, dist } } };
}
