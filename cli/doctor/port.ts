import { createServer } from 'node:net';
import type { Check } from '../../src/api/contract/health.ts';
import { note, ok } from '../../src/doctor/check.ts';
import type { Paths } from '../../src/paths.ts';
import { portOf } from '../../src/paths.ts';

/** While no daemon runs: will the dashboard get its port? */
export function checkPort(paths: Paths, env: NodeJS.ProcessEnv): Promise<Check> {
  const port = portOf(paths.home, env);
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      resolve(
        note(
          'dashboard',
          `port ${port} cannot be used now (${error.code ?? error.message}); the daemon would run without a dashboard`,
          'end that program, or set MCPD_PORT',
        ),
      );
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(ok('dashboard', `port ${port} is free`))));
  });
}
