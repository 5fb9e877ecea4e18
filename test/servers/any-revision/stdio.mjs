import { readLines, record } from '../base.mjs';
import { LegacySession } from './legacy-session.mjs';
import { ModernServer } from './modern-server.mjs';
import { MODERN, violation } from './revisions.mjs';

export function serveStdio(options) {
  record('start', { server: options.name });
  const write = (message) => process.stdout.write(`${JSON.stringify(message)}\n`);
  const take = options.revision === MODERN ? modern(options, write) : legacy(options, write);
  readLines((line) => {
    let message;
    try {
      message = JSON.parse(line);
    } catch {
      return violation('a line that is not JSON', { line });
    }
    take(message);
  });
}

// — internal —

function legacy(options, write) {
  const session = new LegacySession(options, write);
  return (message) => session.take(message);
}

function modern(options, write) {
  const server = new ModernServer(options);
  const channel = server.channel(write);
  return (message) => server.take(message, channel);
}
