import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { interleaved } from '../rounds.mjs';
import { TOOLS_PER_SERVER } from '../targets.mjs';

const BARE = fileURLToPath(new URL('../bare.cjs', import.meta.url));

/** Milliseconds from the start of a shim until its host has the list of all tools; beside them, of a program that does nothing. */
export async function warmStart(targets, servers, place, quick) {
  const items = [
    bareNode(place),
    ...targets.map((target) => ({ name: target.name, run: () => listed(target, servers) })),
  ];
  await interleaved(items, 2, ({ run }) => run());
  return { [`${servers} servers`]: await interleaved(items, quick ? 9 : 31, ({ run }) => run()) };
}

/** The same when there is no daemon yet, with the lists of an earlier one on disk. */
export async function coldStart(target, servers, place, quick) {
  const cold = async () => {
    const sample = await listed(target, servers);
    await target.findDaemon();
    await target.stop();
    return sample;
  };
  const items = [bareNode(place), { name: target.name, run: cold }];
  return interleaved(items, quick ? 3 : 9, ({ run }) => run());
}

const bareNode = (place) => ({
  name: 'bare node',
  run: async () => {
    const from = performance.now();
    const child = spawn(process.execPath, [BARE], { env: place.env, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'close');
    await once(child.stdout, 'data');
    const ms = performance.now() - from;
    await ended;
    return { ms };
  },
});

async function listed(target, servers) {
  const from = performance.now();
  const host = target.shim();
  await host.initialize();
  await host.ask('tools/list', {});
  const ms = performance.now() - from;
  const tools = await host.tools();
  if (tools.length < servers * TOOLS_PER_SERVER) throw new Error(`${target.name} listed ${tools.length} tools only`);
  await host.end();
  return { ms };
}
