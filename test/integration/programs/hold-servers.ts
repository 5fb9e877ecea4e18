/**
 * A daemon's processes without the rest of it. Arguments: the home, and a JSON list of [name, command…]. Prints one JSON line per event:
 * what was started and what exited. Ends when its stdin does, after an orderly dispose.
 */
import type { GatewayEvent } from '../../../src/core/events.ts';
import { DEFAULT_LIMITS } from '../../../src/core/model.ts';
import { pathsOf } from '../../../src/paths.ts';
import { ServerMasks } from '../../../src/servers/server-masks.ts';
import { createServerProcesses } from '../../../src/servers/server-processes.ts';

const [home = '', list = '[]', nonce = 'killed'] = process.argv.slice(2);
const commands = JSON.parse(list) as [name: string, command: string, ...args: string[]][];

function tell(event: GatewayEvent): void {
  if (event.type === 'server-spawned') say({ spawned: event.instance, pid: event.pid });
  if (event.type === 'server-exited') say({ exited: event.instance, cause: event.exit.cause });
  if (event.type === 'server-message') say({ answered: event.instance });
}

function say(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const processes = createServerProcesses({
  paths: pathsOf(home),
  nonce,
  ledger: { add: () => undefined, remove: () => undefined, rows: () => [] },
  report: tell,
  now: () => performance.now(),
  secretsReady: async () => undefined,
  secretsOf: () => new Map(),
  masks: new ServerMasks({ secretsOf: () => new Map() }),
  inherited: process.env,
});

for (const [name, command, ...args] of commands) {
  processes.spawn({
    instance: name,
    generation: 1,
    definition: {
      name,
      description: '',
      launch: {
        kind: 'stdio',
        command,
        args,
        cwd: null,
        env: { RECORD_FILE: process.env['RECORD_FILE'] ?? '/dev/null' },
      },
      start: 'on-demand',
      sharing: 'auto',
      enabled: true,
      limits: DEFAULT_LIMITS,
      source: { kind: 'command', ref: command },
      fingerprint: '',
      addedAt: 0,
    },
  });
}

// Lines on stdin are sent to the server they name.
process.stdin.on('data', (chunk: Buffer) => {
  for (const name of chunk.toString().split('\n').filter(Boolean)) {
    processes.write(name, 1, [Buffer.from('{"jsonrpc":"2.0","id":1,"method":"echo","params":{}}\n')]);
  }
});
process.stdin.on('end', () => {
  void processes.dispose().then(() => say({ disposed: true }));
});
