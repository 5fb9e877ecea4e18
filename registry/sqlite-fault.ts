import { errnoOf, McpdError } from '../src/errors.ts';

/** The extended result code (`SQLITE_IOERR_WRITE`) of a thrown SQLite error, or undefined. */
export function sqliteCodeOf(thrown: unknown): string | undefined {
  const code = errnoOf(thrown);
  return code?.startsWith('SQLITE_') === true ? code : undefined;
}

/** What a person is told of an error of SQLite or of the file system at `path`. An McpdError stays as it is. */
export function sqliteFault(thrown: unknown, path: string): McpdError {
  if (thrown instanceof McpdError) return thrown;
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  if (tellsDamage(thrown)) return damagedFile(path, why);
  const code = errnoOf(thrown) ?? '';
  const cause = { cause: thrown };
  if (code === 'SQLITE_FULL' || code === 'ENOSPC' || code === 'EDQUOT') {
    return new McpdError(
      'DISK_FULL',
      { what: `${path} cannot be written`, why: 'the disk is full', fix: `free some space: df -h '${path}'` },
      cause,
    );
  }
  if (code === 'EMFILE' || code === 'ENFILE') {
    return new McpdError(
      'OUT_OF_FILES',
      { what: `${path} cannot be opened`, why, fix: 'raise the limit of open files: ulimit -n' },
      cause,
    );
  }
  if (code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED')) {
    return new McpdError(
      'HOME_UNWRITABLE',
      {
        what: `${path} cannot be written`,
        why: 'another program holds it locked',
        fix: `find and close it: fuser -v '${path}'`,
      },
      cause,
    );
  }
  if (WRITE_FAULT.test(code)) {
    return new McpdError(
      'HOME_UNWRITABLE',
      { what: `${path} cannot be opened or written`, why: `${why} (${code})`, fix: `ls -ld '${path}'` },
      cause,
    );
  }
  return new McpdError(
    'INTERNAL',
    { what: `the database ${path} refused a statement`, why: code === '' ? why : `${why} (${code})` },
    cause,
  );
}

/** A damaged database is refused and kept; the person decides. */
export function damagedFile(path: string, why: string): McpdError {
  return new McpdError('REGISTRY_DAMAGED', {
    what: `${path} is damaged; it was left as it is`,
    why,
    fix: `put a backup in its place, or begin anew (installed servers must be added again): mv '${path}' '${path}.damaged'`,
  });
}

// — internal —

const WRITE_FAULT =
  /^(SQLITE_(CANTOPEN|READONLY|PERM|IOERR|AUTH|NOLFS)|E(ACCES|PERM|ROFS|ISDIR|NOENT|NOTDIR|IO|LOOP|NAMETOOLONG)$)/;

/** True when the file itself is wrong: no database, cut, or with pages that contradict each other. */
function tellsDamage(thrown: unknown): boolean {
  const code = sqliteCodeOf(thrown);
  return code !== undefined && (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'));
}
