import { rmSync, writeFileSync } from 'node:fs';
import type { Paths } from '../paths.ts';
import { VERSION } from '../version.ts';

/** `daemon.json`: which process is at work, for people and for whoever finds that it answers no more. No part of mcpd relies on it. */
export function leaveHint({ daemonInfo }: Paths, port: number | null): void {
  try {
    writeFileSync(daemonInfo, `${JSON.stringify({ pid: process.pid, version: VERSION, port })}\n`, { mode: 0o600 });
  } catch (thrown) {
    // A full disk: a hint is not worth a daemon.
    console.error(`mcpd: ${daemonInfo} was not written: ${String(thrown)}`);
  }
}

export function removeHint({ daemonInfo }: Paths): void {
  rmSync(daemonInfo, { force: true });
}
