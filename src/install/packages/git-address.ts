import { identifierFault } from '../../../registry/package-names.ts';

/** Addresses of git repositories, as people write them. Pure. */

export interface GitAddress {
  /** As git is told it: `https://…`, `ssh://…`, `git@host:o/r.git` or `file:///…`. */
  identifier: string;
  /** A branch, a tag or a commit; `HEAD` is the repository's own branch. */
  range: string;
}

/** Why that is no repository to install from, and what to write instead. */
export interface GitRefusal {
  why: string;
  fix: string;
}

/** What stands for the branch that a repository shows first. */
export const DEFAULT_REF = 'HEAD';

/** Whether `text` can only mean a repository: by its scheme or ending, or as a page of a host that has nothing else. */
export function isGitAddress(text: string): boolean {
  return /^(git[+:]|ssh:|file:)/i.test(text) || SCP.test(text) || isRepositoryUrl(text);
}

/** Of a text that `isGitAddress`. */
export function parseGit(text: string): GitAddress | GitRefusal {
  const plain = text.replace(/^git(\+|:(?!\/\/))/i, '');
  const [address = '', ...fragments] = plain.split('#');
  const range = fragments.length === 0 ? DEFAULT_REF : fragments.join('#');
  const identifier = identifierOf(address);
  if (typeof identifier !== 'string') return identifier;
  const why = identifierFault('git', identifier);
  if (why !== null) return { why, fix: FORMS };
  if (!isRef(range))
    return { why: `"${range.slice(0, 80)}" is no branch, tag or commit`, fix: `mcpd install ${gitText(identifier)}` };
  return { identifier, range };
}

/** `git:https://github.com/o/r#v1.2`: as it may be installed. */
export function gitText(identifier: string, range: string = DEFAULT_REF): string {
  return `git:${identifier}${range === DEFAULT_REF ? '' : `#${range}`}`;
}

/** `https://github.com/acme/weather.git` → `weather`. */
export function repositoryName(identifier: string): string {
  const [, name = ''] = /([^/:]+?)(\.git)?\/*$/i.exec(identifier) ?? [];
  return name === '' ? 'repository' : name;
}

/** Names one commit, now and later. */
export function isCommit(range: string): boolean {
  return /^[0-9a-f]{40}$/.test(range);
}

/** May name one: the beginning of a commit, as people copy it. */
export function isAbbreviatedCommit(range: string): boolean {
  return /^[0-9a-f]{7,40}$/i.test(range);
}

/** `range` where it looks like the beginning of a commit and is a branch or a tag, since it came to `commit`; else null. */
export function misleadingReference(range: string, commit: string): string | null {
  return isAbbreviatedCommit(range) && !commit.startsWith(range.toLowerCase()) ? range : null;
}

// — internal —

const FORMS =
  'mcpd install https://github.com/OWNER/REPOSITORY, git+https://…, ssh://… or git@HOST:PATH.git, each with #BRANCH, #TAG or #COMMIT if need be';

/** As ssh has it: `git@host:o/r.git`. A version of a package of npm has no such path. */
const SCP = /^\w[\w.-]*@[a-z0-9][a-z0-9.-]*:(?=[^#]*(\/|\.git(#|$)))/i;

/** Hosts whose addresses of this depth are pages of repositories. */
const HOSTS = new Set(['github.com', 'gitlab.com', 'codeberg.org', 'bitbucket.org']);
/** Of a page inside a repository. */
const INNER_PAGE = /^\/[^/]+\/[^/]+\/(-\/)?(tree|blob|src|raw|commit|commits|releases)(\/|$)/;

function isRepositoryUrl(text: string): boolean {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return false;
  const { hostname, pathname } = new URL(text);
  if (/\.git\/?$/i.test(pathname)) return true;
  return (
    HOSTS.has(hostname.replace(/^www\./, '')) && (/^\/[^/]+\/[^/]+\/?$/.test(pathname) || INNER_PAGE.test(pathname))
  );
}

function identifierOf(address: string): string | GitRefusal {
  if (/^git:/i.test(address))
    return { why: 'git:// is not encrypted: whoever is on the way could change the code', fix: FORMS };
  // The reading of addresses leaves some of these out, and writes others as names that look alike.
  if (/[^\x21-\x7e]/.test(address)) return { why: 'it holds white space, or characters other than ASCII', fix: FORMS };
  if (!/^[a-z][a-z0-9+.-]*:\/\//i.test(address)) return address;
  if (!URL.canParse(address)) return { why: 'it is no address', fix: FORMS };
  const url = new URL(address);
  if (url.protocol === 'http:')
    return {
      why: 'http:// is not encrypted: whoever is on the way could change the code',
      fix: `mcpd install ${address.replace(/^http/i, 'https')}; a remote server: mcpd add NAME --url ${address}`,
    };
  if (!PROTOCOLS.has(url.protocol)) return { why: `"${url.protocol}" is no way to a repository`, fix: FORMS };
  if (url.password !== '' || (url.protocol === 'https:' && url.username !== ''))
    return { why: 'it holds a user or a password, which would be shown and kept', fix: 'use its address for ssh' };
  if (url.protocol === 'file:' && url.host !== '') return { why: 'it names another machine', fix: 'file:///PATH' };
  if (url.search !== '') return { why: 'it has a query', fix: FORMS };
  if (HOSTS.has(url.hostname.replace(/^www\./, '')) && INNER_PAGE.test(url.pathname)) {
    const repository = `${url.origin}${url.pathname.split('/').slice(0, 3).join('/')}`;
    return {
      why: 'it is a page inside a repository, and mcpd installs whole ones',
      fix: `mcpd install ${repository}#BRANCH; a server in one of its folders: git clone ${repository}, then mcpd install ./FOLDER`,
    };
  }
  return `${url.protocol}//${url.username === '' ? '' : `${url.username}@`}${url.host}${url.pathname.replace(/\/+$/, '')}`;
}

const PROTOCOLS = new Set(['https:', 'ssh:', 'file:']);

/** What git takes for a reference or a commit, and no pattern, option or expression. */
function isRef(range: string): boolean {
  return (
    range.length <= REF_CHARS_MAX &&
    /^[0-9A-Za-z_][0-9A-Za-z._+@/-]*$/.test(range) &&
    !/\.\.|\/\/|@\{|\/\.|\.(\/|$)|\/$|\.lock(\/|$)/.test(range)
  );
}

const REF_CHARS_MAX = 255;
