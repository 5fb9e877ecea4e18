// Stands where the daemon is in tests of what starts it: answers status and shutdown on api.sock. `plain.json` in the home says how it
// behaves ({ mode, version }); each start adds a line to `starts.jsonl` there.
import { appendFileSync, readFileSync, rmSync } from 'node:fs';
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
      // As a drain takes its time.
      setTimeout(leave, 200, env.MCPD_ENGINE === 'pm2' ? 79 : 0);
    }
    const engine = env.MCPD_ENGINE ?? 'direct';
    response.end(JSON.stringify({ pid, version, state, engine, home }));
  });
  rmSync('api.sock', { force: true });
  server.listen('api.sock', () => process.send?.('ready'));
  process.on('SIGINT', () => leave(0));
  process.on('SIGTERM', () => leave(0));
}
