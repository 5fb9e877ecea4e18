import { Guardian } from '../../../src/servers/guardian.ts';
import type { TemporaryHome } from '../../harness/home.ts';
import { type Installation, installationIn } from '../../harness/installing.ts';

/**
 * Installs `npm:@acme/tiny@1.0.0`, or updates it, in the home of argv[2], and kills itself at argv[3]: `event N` (the Nth thing that is
 * told, from 0), `before save`, `after save`, or `never`.
 */
const { mcpdHome, userHome, env, npmEnv, work } = JSON.parse(process.argv[2] ?? '') as {
  mcpdHome: string;
  userHome: string;
  env: NodeJS.ProcessEnv;
  npmEnv: NodeJS.ProcessEnv;
  work: 'install' | 'update';
};
const at = process.argv[3] ?? '';
let told = 0;

const home = { mcpdHome, userHome, env, folder: (name: string) => `${userHome}/${name}` } as TemporaryHome;
// As in the daemon: npm must not go on when this process is killed.
const guardian = new Guardian(`${mcpdHome}/lost`);
const it = await installationIn(home, {
  npmEnv,
  catalog: [],
  onSave: (moment) => dieAt(`${moment} save`),
  track: (pid) => {
    guardian.add(pid);
    return () => guardian.remove(pid);
  },
});
const event = (what: { type: string; error?: unknown }) => {
  if (what.type === 'failed') throw new Error(`it could not be done: ${JSON.stringify(what.error)}`);
  dieAt(`event ${told++}`);
};
if (work === 'install') await it.installer.install({ spec: 'npm:@acme/tiny@1.0.0' }, event, never());
else await update(it);
it.registry.close();
await guardian.close();

// — internal —

async function update({ installer }: Installation): Promise<void> {
  let agreement = '';
  await installer.offerUpdate(
    'tiny',
    {},
    (told) => {
      if (told.type === 'offer') agreement = told.offer.agreement;
      event(told);
    },
    never(),
  );
  await installer.update('tiny', agreement);
}

function never(): AbortSignal {
  return new AbortController().signal;
}

function dieAt(moment: string): void {
  if (moment === at) process.kill(process.pid, 'SIGKILL');
}
