import { createInterface } from 'node:readline';
import { KEYRING_PROMPT_MS } from './operation-limits.ts';

/**
 * A program of its own that asks the system's keyring one thing: a line of JSON in, a line of JSON out. The keyring may wait for a person
 * for ever, in native code that nothing can interrupt; a process can be ended, and the daemon that asked goes on.
 */

interface Request {
  do: 'get' | 'set' | 'remove';
  service: string;
  account: string;
  /** Of `set`. */
  value?: string;
}

// Whoever asked has gone. Not `exit`, which would wait for the thread that asks the keyring.
const end = () => process.kill(process.pid, 'SIGKILL');
setTimeout(end, KEYRING_PROMPT_MS);
const lines = createInterface({ input: process.stdin });
lines.once('line', (line) => void answered(JSON.parse(line)));
lines.once('close', end);

// — internal —

async function answered(request: Request): Promise<void> {
  const answer = await asked(request).then(
    (value) => ({ value }),
    (error: unknown) => ({ fault: error instanceof Error ? error.message : String(error) }),
  );
  process.stdout.write(`${JSON.stringify(answer)}\n`, end);
}

/** The package is there where it has a binary for the system. The default store of Linux falls back to the kernel's own keyring, which forgets; so the Secret Service is named. */
async function asked({ do: what, service, account, value = '' }: Request): Promise<string | null> {
  const { AsyncEntry } = await import('@napi-rs/keyring');
  const entry = new AsyncEntry(service, account, { linux: { store: 'secret-service' } });
  if (what === 'get') return (await entry.getPassword()) ?? null;
  if (what === 'set') await entry.setPassword(value);
  else await entry.deleteCredential();
  return null;
}
