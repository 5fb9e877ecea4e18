import { shellWord } from './shell-word.ts';

/**
 * Whom a folder lets in. Whoever can write into the home, or swap a folder on the way to it, can make mcpd run anything; so the home is
 * its owner's alone, and nobody else may change the path to it. Pure: facts in, findings out.
 */

export interface FolderFacts {
  path: string;
  kind: 'folder' | 'link' | 'other';
  uid: number;
  gid: number;
  /** As `stat` gives it; the low twelve bits count. */
  mode: number;
}

export interface Identity {
  uid: number;
  gid: number;
  /** Owner of `/`: in a container it may be an id that is not 0, and it can do everything anyway. */
  rootUid: number;
}

export interface Finding {
  what: string;
  why: string;
  fix: string;
}

const OTHERS = 0o077;
const GROUP_WRITE = 0o020;
const OTHER_WRITE = 0o002;
const STICKY = 0o1000;

/** What is wrong with the home itself, or null. */
export function judgeHome(home: FolderFacts, me: Identity): Finding | null {
  const what = `${home.path} cannot be mcpd's home`;
  if (home.kind !== 'folder') {
    return { what, why: 'it is not a folder', fix: 'move it away, or name another folder in MCPD_HOME' };
  }
  if (home.uid !== me.uid) {
    return {
      what,
      why: `it belongs to user ${home.uid}, and this is user ${me.uid}`,
      fix: 'run mcpd as its owner, or name another folder in MCPD_HOME',
    };
  }
  if ((home.mode & OTHERS) !== 0) {
    return {
      what,
      why: `other users may enter it (mode ${modeText(home.mode)})`,
      fix: `chmod 700 ${shellWord(home.path)}`,
    };
  }
  return null;
}

/**
 * What is wrong with a folder or link above the home (or with the home, when it is a link), or null. Folders with the sticky bit are
 * fine: in them only an owner can rename or remove what is theirs, and the owner of each next step is looked at as well.
 */
export function judgeStep(step: FolderFacts, me: Identity): Finding | null {
  const trusted = new Set([me.uid, 0, me.rootUid]);
  const what = `the way to mcpd's home leads through ${step.path}`;
  if (!trusted.has(step.uid)) {
    return {
      what,
      why: `user ${step.uid}, who owns it, could put something else in its place`,
      fix: 'name a folder in MCPD_HOME that lies below folders of your own',
    };
  }
  if (step.kind === 'link' || (step.mode & STICKY) !== 0) return null;
  const others = (step.mode & OTHER_WRITE) !== 0;
  // Many systems give each user a group of the same number and let it write: nobody else is in it.
  const group = (step.mode & GROUP_WRITE) !== 0 && step.gid !== step.uid;
  if (!others && !group) return null;
  return {
    what,
    why: `${others ? 'everybody' : `group ${step.gid}`} may change that folder (mode ${modeText(step.mode)})`,
    fix: `chmod ${others ? 'o-w' : 'g-w'} ${shellWord(step.path)}`,
  };
}

// — internal —

function modeText(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, '0');
}
