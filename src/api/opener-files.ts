import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { homeFault } from '../home.ts';
import { DASHBOARD_CODE_MS } from '../operation-limits.ts';
import { OPENER_NAME, openerOf } from '../paths.ts';
import { newSecret } from './token.ts';

/**
 * Files that lead a browser to the dashboard: every user of the machine sees the arguments of the program that opens it, and the address
 * has a code in it. So that program gets the name of a file that only this user can read. Each is removed when its code was used, after
 * DASHBOARD_CODE_MS, or with the daemon; what a killed one left behind, whose codes are of no use any more, before the next is written.
 */
export class OpenerFiles {
  readonly #home: string;
  /** By code. */
  readonly #open = new Map<string, { file: string; timer: NodeJS.Timeout }>();

  constructor(home: string) {
    this.#home = home;
  }

  /** Returns where it is. @throws {McpdError} HOME_UNWRITABLE, DISK_FULL, OUT_OF_FILES */
  write(code: string, url: string): string {
    const file = openerOf(this.#home, newSecret().slice(0, 12));
    try {
      this.#sweep();
      writeFileSync(file, pageTo(url), { mode: 0o600, flag: 'wx' });
    } catch (thrown) {
      throw homeFault(thrown, `the file that opens the dashboard cannot be written to ${this.#home}`);
    }
    const timer = setTimeout(() => this.remove(code), DASHBOARD_CODE_MS);
    timer.unref();
    this.#open.set(code, { file, timer });
    return file;
  }

  /** Of this code, if there is one. */
  remove(code: string): void {
    const known = this.#open.get(code);
    if (known === undefined) return;
    this.#open.delete(code);
    clearTimeout(known.timer);
    rmSync(known.file, { force: true });
  }

  close(): void {
    for (const code of [...this.#open.keys()]) this.remove(code);
  }

  #sweep(): void {
    const ours = new Set([...this.#open.values()].map(({ file }) => file));
    for (const name of readdirSync(this.#home)) {
      const file = join(this.#home, name);
      if (OPENER_NAME.test(name) && !ours.has(file)) rmSync(file, { force: true });
    }
  }
}

// — internal —

/** `url` is our own: an address of 127.0.0.1 and a code without anything that HTML would read. */
function pageTo(url: string): string {
  const head = `<meta charset="utf-8"><meta name="referrer" content="no-referrer"><meta http-equiv="refresh" content="0;url=${url}">`;
  return `<!doctype html><html lang="en">${head}<title>mcpd</title><p><a href="${url}">The dashboard of mcpd</a></p></html>\n`;
}
