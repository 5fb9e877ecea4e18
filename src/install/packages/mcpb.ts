import type { Bundle, Bundles } from '../bundle/bundles.ts';
import { folderIn, type Places } from '../bundle/places.ts';
import { bundleProgram } from '../bundle/program.ts';
import { publishedBundle } from '../bundle/published.ts';
import { type Machine, usableCommand } from '../bundle/runtime.ts';
import { bundleSource } from '../bundle/source.ts';
import type { PackageSource, VersionRequest } from './source.ts';

export interface BundleOptions {
  bundles: Bundles;
  machine: Machine;
  userHome: string;
}

/** Bundles as packages: what is fetched is the file that was read for the plan. */
export function bundlePackages(options: BundleOptions): PackageSource {
  const { bundles } = options;
  return {
    async fetch({ identifier, fileSha256, folder }, signal, report) {
      const bundle = await bundles.take(bundleSource(identifier), fileSha256, signal, report);
      try {
        const { manifest, sha256, from } = bundle;
        const { command, executables } = await programOf(bundle, options);
        const root = await bundles.place(bundle, folder, executables, signal);
        return {
          installed: { kind: 'mcpb', identifier: from, version: manifest.version, integrity: `sha256:${sha256}` },
          root,
          folder: root,
          runnable: { command: folderIn(command, root), args: [] },
          description: manifest.description,
          scriptsLeftOut: [],
          // Told with the plan.
          warnings: [],
        };
      } finally {
        await bundles.discard(bundle);
      }
    },
    async read({ identifier, fileSha256, env }, signal, report) {
      const bundle = await bundles.read(bundleSource(identifier), fileSha256, signal, report);
      const published = publishedBundle(bundle.manifest, identifier, bundle.sha256, placesOf(options));
      const { command, warnings } = await programOf(bundle, options);
      const [pack] = published.packages;
      if (pack === undefined) throw new RangeError('a bundle is one package');
      // Variables that were published besides stay.
      const own = new Set(pack.env.map(({ name }) => name));
      const whole = { ...pack, runtimeHint: command, env: [...pack.env, ...env.filter(({ name }) => !own.has(name))] };
      return { published: { ...published, warnings }, package: whole };
    },
    sweep: () => bundles.sweep(),
    async versionOf({ identifier }: VersionRequest, signal) {
      const bundle = await bundles.read(bundleSource(identifier), null, signal, () => undefined);
      return { version: bundle.manifest.version, integrity: `sha256:${bundle.sha256}` };
    },
  };
}

// — internal —

function placesOf({ userHome, machine }: BundleOptions): Places {
  return { userHome, platform: machine.platform };
}

async function programOf({ manifest, content }: Bundle, options: BundleOptions) {
  const files = new Set(content.files.map(({ path }) => path));
  const { command, executables } = bundleProgram(manifest, files, placesOf(options));
  return { executables, ...(await usableCommand(manifest, command, options.machine)) };
}
