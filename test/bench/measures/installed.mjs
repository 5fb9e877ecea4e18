import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Host } from '../host.mjs';
import { PACKAGE, startNpmRegistry } from '../npm-registry.mjs';
import { interleaved } from '../rounds.mjs';
import { Mcpd } from '../targets.mjs';

const SERVER = 'installed';

/**
 * Milliseconds from the start of what a host's entry names until the first call is answered, by a server of npm that nobody runs: by
 * `npx -y` with the package in its cache, and by `mcpd stdio` with the server installed and the daemon running. The registry is on this
 * machine, so that npx waits for no network.
 */
export async function installedStart(place, quick) {
  const registry = await startNpmRegistry(place);
  const npmrc = { registry: registry.address, 'update-notifier': false, cache: place.folder('npm') };
  const lines = Object.entries(npmrc).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(join(place.folder('user'), '.npmrc'), lines.join(''));
  const mcpd = new Mcpd(place, 0);
  try {
    await mcpd.start();
    await mcpd.install(`npm:${PACKAGE}`, SERVER);
    const npx = () => new Host('npx', ['-y', PACKAGE], { env: place.env, cwd: place.root });
    const items = [
      { name: 'npx', run: () => firstAnswer(npx, 'echo') },
      {
        name: mcpd.name,
        run: async () => {
          await mcpd.stopServer(SERVER);
          return firstAnswer(() => mcpd.shim(), `${SERVER}__echo`);
        },
      },
    ];
    // npx fetches with its first start.
    await interleaved(items, 1, ({ run }) => run());
    return { 'npm package': await interleaved(items, quick ? 3 : 9, ({ run }) => run()) };
  } finally {
    await mcpd.stop();
    await registry.close();
  }
}

async function firstAnswer(start, tool) {
  const from = performance.now();
  const host = start();
  await host.initialize();
  await host.ask('tools/list', {});
  const listed = performance.now() - from;
  await host.call(tool, { text: 'hello' });
  const answered = performance.now() - from;
  await host.end();
  return { listed, answered };
}
