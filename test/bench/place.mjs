import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endAllOf } from './processes.mjs';

/** A temporary folder in which one run lives: nothing of the user's own settings, homes or ports reaches what is measured. */
export class Place {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'mcpd-bench-')));

  folder(name) {
    const path = join(this.root, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  }

  /** For whatever is started. Certificates of one's own (NODE_EXTRA_CA_CERTS) would cost each start of Node 20 some 30 ms, so they stay out. */
  get env() {
    return {
      PATH: process.env['PATH'],
      LANG: 'C.UTF-8',
      SHELL: '/bin/sh',
      HOME: this.folder('user'),
      TMPDIR: this.folder('tmp'),
      PM2_HOME: this.folder('pm2'),
      MCPD_PORT: '0',
    };
  }

  /** Ends what is left of this run and removes the folder. */
  async clear() {
    await endAllOf(this.root);
    rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}
