import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { dirname, join } from 'node:path';

/** A package to publish: its package.json, and its other files by path. */
export interface TinyPackage {
  manifest: { name: string; version: string; [field: string]: unknown };
  files: Record<string, string>;
  /** `latest` when nothing is said. */
  tag?: string;
}

/** A registry on the loopback that speaks as much of npm's protocol as an install needs. */
export interface NpmRegistry {
  url: string;
  /** Method and path of everything that was asked. */
  readonly requests: string[];
  /** Accepts connections and never answers while true. */
  silent: boolean;
  /** Lets a tag name another version from now on. */
  tag(name: string, tag: string, version: string): void;
  close(): Promise<void>;
}

/** Packs the packages with the real `npm pack`, in `folder`, and serves them. */
export async function startNpmRegistry(folder: string, packages: readonly TinyPackage[]): Promise<NpmRegistry> {
  const published = pack(folder, packages);
  const requests: string[] = [];
  const registry = { requests, silent: false };
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (registry.silent) return;
    const path = decodeURIComponent((request.url ?? '/').slice(1).split('?')[0] ?? '');
    const tarball = published.tarballs.get(path);
    if (tarball !== undefined) {
      response.writeHead(200, { 'content-type': 'application/octet-stream' }).end(tarball);
      return;
    }
    const document = published.documents.get(path);
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(
      JSON.stringify(document === undefined ? { error: 'Not found' } : withTarballs(document, urlOf(server))),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(registry, {
    url: urlOf(server),
    tag: (name: string, tag: string, version: string) => {
      const document = published.documents.get(name);
      if (document === undefined) throw new RangeError(`${name} was not published`);
      document['dist-tags'][tag] = version;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

// — internal —

interface Packument {
  name: string;
  'dist-tags': Record<string, string>;
  versions: Record<string, { dist: { tarball: string; integrity: string } & Record<string, unknown> }>;
}

function pack(folder: string, packages: readonly TinyPackage[]) {
  const documents = new Map<string, Packument>();
  const tarballs = new Map<string, Buffer>();
  const sources = packages.map(({ manifest, files }, index) => {
    const source = join(folder, `${index}`);
    const all = { ...files, 'package.json': JSON.stringify(manifest) };
    for (const [path, text] of Object.entries(all)) {
      mkdirSync(dirname(join(source, path)), { recursive: true });
      writeFileSync(join(source, path), text, { mode: 0o755 });
    }
    return `./${index}`;
  });
  const npm = ['pack', '--json', '--ignore-scripts', ...sources];
  const env = { ...process.env, npm_config_cache: join(folder, 'cache'), npm_config_update_notifier: 'false' };
  const report = JSON.parse(
    execFileSync('npm', npm, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }),
  );
  const names = (Object.values(report) as { filename: string }[]).map((entry) => entry.filename);
  packages.forEach(({ manifest, tag }, index) => {
    const data = readFileSync(join(folder, names[index] ?? ''));
    const path = `${manifest.name}/-/${manifest.version}.tgz`;
    tarballs.set(path, data);
    const document = documents.get(manifest.name) ?? { name: manifest.name, 'dist-tags': {}, versions: {} };
    const scripts = (manifest['scripts'] ?? {}) as Record<string, string>;
    document.versions[manifest.version] = {
      ...manifest,
      ...(['preinstall', 'install', 'postinstall'].some((name) => name in scripts) ? { hasInstallScript: true } : {}),
      dist: {
        tarball: path,
        shasum: createHash('sha1').update(data).digest('hex'),
        integrity: `sha512-${createHash('sha512').update(data).digest('base64')}`,
      },
    };
    document['dist-tags'][tag ?? 'latest'] = manifest.version;
    documents.set(manifest.name, document);
  });
  return { documents, tarballs };
}

function withTarballs(document: Packument, url: string): Packument {
  const versions = Object.entries(document.versions).map(([version, manifest]) => [
    version,
    { ...manifest, dist: { ...manifest.dist, tarball: url + manifest.dist.tarball } },
  ]);
  return { ...document, versions: Object.fromEntries(versions) };
}

function urlOf(server: Server): string {
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new RangeError('a TCP server has a port');
  return `http://127.0.0.1:${address.port}/`;
}
