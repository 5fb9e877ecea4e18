import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Check } from '../../src/api/contract/health.ts';
import { failure, ok } from '../../src/doctor/check.ts';
import { SMALL_PROGRAM_TIMEOUT_MS } from '../../src/operation-limits.ts';
import { shellWord } from '../../src/shell-word.ts';
import { VERSION } from '../../src/version.ts';
import { judgePrograms, programsOn } from './programs.ts';

const NODE_MIN = [20, 19] as const;

/** The node that runs, its better-sqlite3, and the `mcpd` that a shell finds. `root` is the folder of this installation. */
export async function checkInstallation(root: string, env: NodeJS.ProcessEnv): Promise<Check[]> {
  return [
    judgeNode(process.versions.node),
    await checkSqlite(root),
    judgePrograms(programsOn(env['PATH'] ?? '', root)),
  ];
}

export function judgeNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = major < NODE_MIN[0] || (major === NODE_MIN[0] && minor < NODE_MIN[1]);
  const text = `mcpd ${VERSION} on node ${version}`;
  return isOld
    ? failure('node', text, `install node ${NODE_MIN.join('.')} or newer`, 'installation')
    : ok('node', text);
}

// — internal —

const execute = promisify(execFile);
const OPEN_DATABASE = 'const D = require("better-sqlite3"); new D(":memory:").close();';

/** In a process of its own: a module that was built for another node can end the process that loads it. */
async function checkSqlite(root: string): Promise<Check> {
  try {
    await execute(process.execPath, ['-e', OPEN_DATABASE], { cwd: root, timeout: SMALL_PROGRAM_TIMEOUT_MS });
    return ok('sqlite', 'better-sqlite3 works with this node');
  } catch (thrown) {
    const { stderr } = thrown as { stderr?: unknown };
    const lines = typeof stderr === 'string' ? stderr.split('\n') : [];
    const reason = lines.find((line) => /Error|NODE_MODULE_VERSION|Cannot find/.test(line)) ?? String(thrown);
    return failure(
      'sqlite',
      `better-sqlite3 does not work with this node: ${reason.trim()}`,
      `cd ${shellWord(root)} && npm rebuild better-sqlite3`,
      'installation',
    );
  }
}
