// Preloaded: the process kills itself before its step number KILL_AT on the disk. Says how many there were when it ends by itself.
import promises from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';

const killAt = Number(process.env.KILL_AT);
let steps = 0;

function counted(object, name) {
  const original = object[name];
  object[name] = function (...args) {
    steps += 1;
    if (steps === killAt) process.kill(process.pid, 'SIGKILL');
    return original.apply(this, args);
  };
}

const probe = await promises.open(process.execPath, 'r');
const handle = Object.getPrototypeOf(probe);
await probe.close();
for (const name of ['writeFile', 'sync', 'close']) counted(handle, name);
for (const name of ['open', 'rename', 'rm', 'readdir']) counted(promises, name);
syncBuiltinESMExports();
