// A keyring for tests, in a file: what src/keyring-program.ts is to the system's. node keyring.mjs FILE [healthy|silent|locked|forgetful|babbling]
import { readFileSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file, mood = 'healthy'] = process.argv.slice(2);
const answers = {
  silent: () => setInterval(() => undefined, 1000),
  locked: () => say({ fault: 'the collection is locked' }),
  babbling: () => process.stdout.write('what?\n'),
  forgetful: ({ do: what }) => say({ value: what === 'get' ? null : '' }),
  healthy: ({ do: what, service, account, value }) => {
    const kept = read();
    const name = `${service}/${account}`;
    const found = kept[name] ?? null;
    if (what === 'set') kept[name] = value;
    if (what === 'remove') delete kept[name];
    if (what !== 'get') writeFileSync(file, JSON.stringify(kept));
    say({ value: what === 'get' ? found : null });
  },
};

createInterface({ input: process.stdin })
  .once('line', (line) => answers[mood](JSON.parse(line)))
  .once('close', () => process.exit());

function read() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {}; // nothing was kept yet
  }
}

function say(answer) {
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
