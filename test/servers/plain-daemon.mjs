// Stands where the daemon is in tests of what starts it: answers status and shutdown on api.sock. `plain.json` in the home says how it
// behaves ({ mode, version }); each start adds a line to `starts.jsonl` there, each request to stop one to `asked.jsonl`.
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

const home = process.env.MCPD_HOME;
process.chdir(home);
const { mode = 'ok', version = '1.0.0' } = JSON.parse(readFileSync('plain.json', 'utf8'));
const { argv, env, pid } = process;
appendFileSync('starts.jsonl', `${JSON.stringify({ pid, args: argv.slice(2), env, cwd: process.cwd(), version })}\n`);

if (mode === 'fatal') {
  const fatal = { code: 'REGISTRY_DAMAGED', what: 'registry.db is damaged', fix: 'mcpd doctor' };
  process.stderr.write(`${JSON.stringify({ fatal })}\n`);
  process.exit(78);
}
if (mode === 'crash') {
  process.stderr.write('something went wrong at once\n');
  process.exit(1);
}

if (mode === 'standby') {
  // Waits for a lock that another holds.
  process.on('SIGINT', () => process.exit(0));
  setInterval(() => undefined, 1000);
  process.send?.('ready');
} else listen();

function listen() {
  let state = 'running';
  const leave = (code) => {
    rmSync('api.sock', { force: true });
    process.exit(code);
  };
  const server = createServer((request, response) => {
    if (mode === 'hung') return;
    response.setHeader('mcpd-protocol', '1');
    if (request.url === '/api/shutdown') {
      state = 'stopping';
      request.on('data', (body) => appendFileSync('asked.jsonl', `${body}\n`));
      // As a drain takes its time.
      setTimeout(leave, 200, env.MCPD_ENGINE === 'pm2' ? 79 : 0);
    }
    const engine = env.MCPD_ENGINE ?? 'direct';
    response.end(JSON.stringify({ pid, version, state, engine, home }));
  });
  // Hangs up on whoever comes while the file is there, as one does that has no file descriptor left.
  server.on('connection', (socket) => existsSync('crowded') && socket.destroy());
  rmSync('api.sock', { force: true });
  server.listen('api.sock', () => {
    writeFileSync('daemon.json', JSON.stringify({ pid }));
    process.send?.('ready');
  });
  process.on('SIGINT', () => leave(0));
  process.on('SIGTERM', () => leave(0));
}
