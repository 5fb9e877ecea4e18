import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A repository on the disk, made and filled by the git of this machine. */
export interface GitRepository {
  folder: string;
  /** `file:///…` */
  url: string;
  /** Files by path, executable; a link is `{ link: target }`, and null removes one. @returns the commit */
  commit(files: Record<string, string | { link: string } | null>): string;
  git(...args: string[]): string;
  /** As `git`, with something on its standard input. */
  feed(input: string | Buffer, ...args: string[]): string;
}

export function gitRepository(folder: string): GitRepository {
  mkdirSync(folder, { recursive: true });
  const feed = (input: string | Buffer, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.com', ...args], {
      cwd: folder,
      input,
      encoding: 'utf8',
      env: { PATH: process.env['PATH'], GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null', ...AT },
    }).trim();
  const git = (...args: string[]) => feed('', ...args);
  git('init', '--quiet', '-b', 'main');
  return {
    ...{ folder, url: pathToFileURL(folder).href, git, feed },
    commit: (files) => {
      for (const [path, content] of Object.entries(files)) {
        const file = join(folder, path);
        rmSync(file, { force: true });
        if (content === null) continue;
        mkdirSync(dirname(file), { recursive: true });
        if (typeof content !== 'string') symlinkSync(content.link, file);
        else {
          writeFileSync(file, content);
          chmodSync(file, 0o755);
        }
      }
      git('add', '--all', '--force');
      git('commit', '--quiet', '--allow-empty', '-m', 'change');
      return git('rev-parse', 'HEAD');
    },
  };
}

// — internal —

const AT = { GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z', GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z' };
