import type { TemporaryHome } from '../../harness/home.ts';
import { doneOf, installationIn } from '../../harness/installing.ts';

/** Installs the bundle and the home of argv[2]; test/servers/killed-at.mjs, preloaded, kills it at a step of its work on the disk. */
const { mcpdHome, userHome, env, spec } = JSON.parse(process.argv[2] ?? '') as {
  mcpdHome: string;
  userHome: string;
  env: NodeJS.ProcessEnv;
  spec: string;
};

const home = { mcpdHome, userHome, env, folder: (name: string) => `${userHome}/${name}` } as TemporaryHome;
const it = await installationIn(home, { catalog: [] });
doneOf(await it.install({ spec }));
it.registry.close();
