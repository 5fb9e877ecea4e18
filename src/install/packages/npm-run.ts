import { realpath, stat } from 'node:fs/promises';
import { delimiter, dirname, extname, join } from 'node:path';
import { McpdError } from '../../errors.ts';
import type { ToolProgram } from './run-tool.ts';

/**
 * The npm that came with the node at `execPath`, else the first on `path`.
 * @throws McpdError FETCH_FAILED when there is none
 */
export async function findNpm(execPath: string, path: string): Promise<ToolProgram> {
  const folders = [dirname(execPath), dirname(await realpath(execPath))];
  for (const folder of folders) {
    for (const beside of [['..', 'lib'], []]) {
      const cli = join(folder, ...beside, 'node_modules', 'npm', 'bin', 'npm-cli.js');
      if (await isFile(cli)) return { command: execPath, args: [cli] };
    }
  }
  for (const folder of path.split(delimiter).filter((each) => each !== '')) {
    const cli = join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js');
    if (await isFile(cli)) return { command: execPath, args: [cli] };
    if (process.platform === 'win32' || !(await isFile(join(folder, 'npm')))) continue;
    const target = await realpath(join(folder, 'npm'));
    return extname(target) === '.js' ? { command: execPath, args: [target] } : { command: target, args: [] };
  }
  throw new McpdError('FETCH_FAILED', {
    what: 'npm was not found',
    why: `neither beside ${execPath} nor on the PATH`,
    fix: 'install npm, which comes with Node.js from nodejs.org',
  });
}

/**
 * `env` for npm: what a surrounding `npx` or `npm run` set is taken out, since it would change where and what npm installs. Settings that
 * say how to reach a registry stay: they are the user's own. What could make npm run or write something although scripts may not run is set.
 */
export function npmEnvironment(env: NodeJS.ProcessEnv, execPath: string): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => {
    const setting = /^npm_config_(.*)$/i.exec(name)?.[1];
    if (setting !== undefined) return REACHING.test(setting);
    return !/^(npm_|INIT_CWD$|NODE_OPTIONS$)/i.test(name);
  });
  // Scripts of packages call `node`, which a daemon started by a desktop does not have on its PATH.
  const path = [dirname(execPath), env['PATH']].filter((part) => part !== undefined && part !== '').join(delimiter);
  return { ...Object.fromEntries(kept), ...SETTLED, PATH: path };
}

// — internal —

const REACHING =
  /^(registry|userconfig|globalconfig|cache|(https?[_-])?proxy|noproxy|ca|cafile|cert|key|strict[_-]ssl|@.*|\/\/.*)$/i;

/**
 * A dependency from git is installed in its own clone, by an npm that heeds the clone's .npmrc: there it may name the git for the next one,
 * modules for every node, or the place of global packages, whose programs are on the PATH. npm puts the environment above that file.
 */
const SETTLED = {
  npm_config_git: 'git',
  // npm skips what is empty, and takes this for empty afterwards.
  npm_config_node_options: ' ',
  npm_config_global: 'false',
  npm_config_location: 'user',
};

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false; // not there, or not to be read: no npm for us either way
  }
}
