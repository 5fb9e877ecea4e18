import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Message } from '../message.ts';
import type { MakeWire } from './wire.ts';

/** After the end of its stdin; some servers keep running for their timers. */
const LEAVING_MS = 3000;

export interface ProcessOptions {
  env: NodeJS.ProcessEnv;
  cwd?: string;
  /** Told as soon as it is known. */
  onPid?(pid: number | undefined): void;
}

/** A host that starts `command` and talks to it by lines. */
export function stdioWire([program = '', ...args]: readonly string[], options: ProcessOptions): MakeWire {
  return (receiver) => {
    const child = spawn(program, args, { env: options.env, cwd: options.cwd, stdio: ['pipe', 'pipe', 'ignore'] });
    options.onPid?.(child.pid);
    const gone = new Promise<void>((resolve) => {
      child.once('close', () => resolve());
      child.once('error', (error) => {
        receiver.fault(error.message);
        resolve();
      });
    });
    // A write to a process that has gone ends as EPIPE; that it is gone is seen anyway.
    child.stdin.on('error', () => {});
    createInterface({ input: child.stdout }).on('line', (line) => {
      let message: Message;
      try {
        message = JSON.parse(line) as Message;
      } catch {
        receiver.fault(`a line that is not JSON: ${line}`);
        return;
      }
      receiver.take(message, { kind: 'only' });
    });
    return Promise.resolve({
      send: (message) => {
        child.stdin.write(`${JSON.stringify(message)}\n`);
        return Promise.resolve();
      },
      abort: () => false,
      ready: () => Promise.resolve(),
      close: async () => {
        child.stdin.end();
        const timer = setTimeout(() => child.kill('SIGKILL'), LEAVING_MS);
        await gone;
        clearTimeout(timer);
      },
    });
  };
}
