/**
 * A server for tests of processes: it tells what it was started with, and goes or floods as it is told.
 * Methods (all without the handshake): facts, echo, flood {mb, newlines}, exit {code}, answer-and-exit, close-stdout, grow {mb},
 * print {stderr}.
 *   --deaf    ignores the end of stdin, SIGTERM, SIGINT and SIGHUP
 */
import { closeSync, readdirSync, readlinkSync, writeSync } from 'node:fs';
import { flags, record, serve } from './base.mjs';

const { deaf } = flags();
const held = [];

if (deaf) {
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => record('signal', { signal }));
  process.stdin.on('end', () => record('stdin-end'));
  process.exit = () => undefined;
  setInterval(() => undefined, 1 << 30);
}

/** Blocking, as a native program writes: a pipe that nobody reads stops it here. */
function writeAll(fd, bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}

function descriptors() {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    try {
      return [[Number(fd), readlinkSync(`/proc/self/fd/${fd}`)]];
    } catch {
      return []; // the one that was open for reading this folder
    }
  });
}

serve({
  methods: {
    facts: () => ({
      pid: process.pid,
      argv: process.argv.slice(2),
      cwd: process.cwd(),
      env: process.env,
      umask: process.umask(),
    }),
    descriptors: () => ({ descriptors: descriptors() }),
    echo: (params) => params,
    print: ({ stderr }) => {
      process.stderr.write(stderr);
      return {};
    },
    flood: ({ mb, newlines }) => {
      const kib = Buffer.alloc(1024, 'e');
      for (let count = 0; count < mb * 1024; count++) {
        if (newlines) kib.write(`${String(count).padStart(8, '0')}\n`, 1015);
        writeAll(2, kib);
      }
      return { done: true };
    },
    exit: ({ code }) => process.exit(code),
    'answer-and-exit': (_params, { id }) => {
      writeAll(1, Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id, result: { last: 'x'.repeat(100_000) } })}\n`));
      process.exit(3);
    },
    'close-stdout': () => {
      closeSync(1);
      setInterval(() => undefined, 1 << 30);
    },
    grow: ({ mb }) => {
      held.push(Buffer.alloc(mb * 1024 * 1024, 1));
      return {};
    },
  },
});
