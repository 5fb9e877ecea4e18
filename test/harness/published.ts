import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Machine } from './machine.ts';
import { type PublishedVersion, type RegistryStandIn, startMcpRegistry } from './mcp-registry.ts';
import { startNpmRegistry } from './npm-registry.ts';

interface Published {
  /** What the MCP registry knows. */
  servers: readonly PublishedVersion[];
  /** The versions of `@acme/weather` at npm, and its program in each. */
  versions: readonly string[];
  program: string;
}

/** Lends the machine an MCP registry, and npm with what its servers need. */
export async function withRegistry(
  machine: Machine,
  { servers, versions, program }: Published,
  work: (registry: RegistryStandIn) => Promise<void>,
): Promise<void> {
  const registry = await startMcpRegistry(servers);
  const npm = await startNpmRegistry(
    machine.home.folder('published'),
    versions.map((version) => ({
      manifest: { name: '@acme/weather', version, bin: 'cli.js' },
      files: { 'cli.js': program },
    })),
  );
  writeFileSync(join(machine.home.userHome, '.npmrc'), `registry=${npm.url}\n`);
  try {
    await machine.ok('registries', 'add', registry.address);
    await work(registry);
  } finally {
    await npm.close();
    await registry.close();
  }
}
