// node scripts/shim-bytecode.mjs SHIM TARGET: lets the shim serve one host from its first line to its end, and writes the bytecode of all
// that ran. So what every start needs is compiled already, and what is rarely needed is not even loaded.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { Script } from 'node:vm';

const [shim, target] = process.argv.slice(2).map((path) => resolve(path));
const home = mkdtempSync(join(tmpdir(), 'mcpd-bytecode-'));
process.env.MCPD_HOME = home;
process.chdir(home);
process.argv.splice(2);

/** A daemon as the shim sees it; a list has its size, so that it comes in several pieces. */
const list = JSON.stringify({
  tools: Array.from({ length: 500 }, (_, n) => ({ name: `tool_${n}`, description: 'x'.repeat(400) })),
});
const daemon = createServer((socket) => {
  let said = '';
  socket.on('data', (chunk) => {
    const lines = (said + chunk).split('\n');
    said = lines.pop();
    for (const line of lines) {
      if (line.startsWith('!')) socket.write('!welcome {"preamble":1,"version":"0.0.0","generation":"g"}\n');
      else if ('id' in JSON.parse(line)) answer(socket, JSON.parse(line));
    }
  });
});
const answer = (socket, { id, method }) => {
  const notice = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":""}}\n';
  socket.write(`${notice}{"jsonrpc":"2.0","id":${id},"result":${method === 'tools/list' ? list : '{}'}}\n`);
};

daemon.listen('mcpd.sock', () => {
  // Letter by letter as in src/bytecode.ts: bytecode belongs to one text.
  const source = `(function(require,__dirname){${readFileSync(shim, 'utf8')}\n})`;
  const script = new Script(source, { filename: shim });
  process.on('exit', () => {
    writeFileSync(target, script.createCachedData());
    rmSync(home, { recursive: true, force: true });
  });
  script.runInThisContext()(createRequire(shim), dirname(shim));
});
