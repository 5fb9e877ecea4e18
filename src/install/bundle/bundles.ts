import { mkdir, mkdtemp, open, readdir, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { BUNDLE_DOWNLOADS_MAX } from '../../bundle-limits.ts';
import { McpdError } from '../../errors.ts';
import type { Fetch } from '../../proxy-fetch.ts';
import { makeFolder, settle } from '../packages/package-folder.ts';
import { Slots } from '../packages/slots.ts';
import { Archive } from './archive.ts';
import { type BundleContent, checkEntries, MANIFEST } from './entries.ts';
import { KeptBundles } from './kept.ts';
import { type Manifest, readManifest } from './manifest.ts';
import { invalid } from './refusal.ts';
import { type BundleSource, copyBundle, sourceText } from './source.ts';
import { readWhole, unpack } from './unpack.ts';

/** A bundle that was fetched, checked and read, and not unpacked yet. It lies in a folder of its own, which `discard` removes. */
export interface Bundle {
  /** Its path or address. */
  from: string;
  /** Of the whole file, 64 hex digits. */
  sha256: string;
  manifest: Manifest;
  content: BundleContent;
  file: string;
}

export interface Bundles {
  /**
   * Fetches a bundle and checks all of it; nothing of it is unpacked. It is kept for the `take` of an install that follows, and of an address
   * for the next `read`. Leaves nothing behind when it fails.
   * @param sha256 what the file must hash to, where that was published
   * @throws {McpdError} BUNDLE_UNSAFE, BUNDLE_INVALID, INTEGRITY_MISMATCH, FETCH_FAILED, PACKAGE_UNKNOWN, SPEC_INVALID; the signal's reason
   */
  read(source: BundleSource, sha256: string | null, signal: AbortSignal, report: Report): Promise<Bundle>;
  /** As `read`, for whoever unpacks it, and discards it then. */
  take(source: BundleSource, sha256: string | null, signal: AbortSignal, report: Report): Promise<Bundle>;
  /**
   * Unpacks it into a new folder within `folder`, which appears at once or not at all.
   * @param executables paths in it that must be executable, whatever the archive says
   * @returns the new folder
   * @throws {McpdError} BUNDLE_UNSAFE, BUNDLE_INVALID, DISK_FULL, HOME_UNWRITABLE; system errors while it writes; the signal's reason
   */
  place(bundle: Bundle, folder: string, executables: readonly string[], signal: AbortSignal): Promise<string>;
  discard(bundle: Bundle): Promise<void>;
  /** Removes what a daemon that was killed had read and not unpacked; the first `read` or `take` does so too. */
  sweep(): Promise<void>;
}

type Report = (detail: string) => void;

/**
 * @param folder where bundles lie until they are unpacked, on the same disk as the packages; no other process may use it
 * @param ending when it is aborted, what is kept goes
 */
export function bundlesIn(folder: string, fetch: Fetch, ending: AbortSignal): Bundles {
  const slots = new Slots(BUNDLE_DOWNLOADS_MAX);
  const kept = new KeptBundles(discard);
  ending.addEventListener('abort', () => kept.clear(), { once: true });
  let swept: Promise<void> | null = null;
  const sweepOnce = () => {
    swept ??= sweep(folder);
    return swept;
  };
  const open = async (source: BundleSource, sha256: string | null, signal: AbortSignal, report: Report) => {
    await sweepOnce();
    return slots.run(signal, () => openBundle(folder, { source, sha256, fetch, signal, report }));
  };
  const isMeant = (source: BundleSource, sha256: string | null) => (bundle: Bundle) =>
    bundle.from === sourceText(source) && (sha256 === null || bundle.sha256 === sha256);
  return {
    async read(source, sha256, signal, report) {
      const before = kept.take(isMeant(source, sha256));
      // A file may be another one by now, and costs nothing to read.
      const isStale = before !== null && source.kind === 'file';
      if (isStale) await discard(before);
      const bundle = before === null || isStale ? await open(source, sha256, signal, report) : before;
      kept.keep(bundle);
      return bundle;
    },
    take: async (source, sha256, signal, report) =>
      (sha256 === null ? null : kept.take(isMeant(source, sha256))) ?? open(source, sha256, signal, report),
    place,
    discard,
    sweep: sweepOnce,
  };
}

// — internal —

/** No server can be called so. */
const WAITING = '.bundle-';

interface Opening {
  source: BundleSource;
  sha256: string | null;
  fetch: Fetch;
  signal: AbortSignal;
  report: Report;
}

/** What a daemon that was killed left. */
async function sweep(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const name of await readdir(folder))
    if (name.startsWith(WAITING)) await rm(join(folder, name), { recursive: true, force: true });
}

async function openBundle(
  folder: string,
  { source, sha256: expected, fetch, signal, report }: Opening,
): Promise<Bundle> {
  const own = await mkdtemp(join(folder, WAITING));
  try {
    const file = join(own, 'bundle.mcpb');
    const target = await open(file, 'wx', 0o600);
    const sha256 = await copyBundle(source, target, fetch, signal, report).finally(() => target.close());
    if (expected !== null && sha256 !== expected.toLowerCase()) throw otherFile(source, expected, sha256);
    const read = await withArchive(file, async (archive, content) => ({
      content,
      manifest: readManifest(manifestText(await readWhole(archive, content.manifest)), process.platform),
    }));
    return { from: sourceText(source), sha256, file, ...read };
  } catch (error) {
    await rm(own, { recursive: true, force: true });
    throw error;
  }
}

async function discard(bundle: Bundle): Promise<void> {
  await rm(dirname(bundle.file), { recursive: true, force: true });
}

async function place(
  bundle: Bundle,
  folder: string,
  executables: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const temporary = await makeFolder(folder);
  try {
    await withArchive(bundle.file, (archive, content) =>
      unpack(archive, content, temporary, new Set(executables), signal),
    );
    return await settle(temporary, folder, bundle.manifest.version);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    await rmdir(folder).catch(() => undefined); // not empty: another version is in use there
    throw error;
  }
}

async function withArchive<T>(
  path: string,
  work: (archive: Archive, content: BundleContent) => Promise<T>,
): Promise<T> {
  const file = await open(path, 'r');
  try {
    const archive = await Archive.open(file);
    return await work(archive, checkEntries(archive.entries, archive.directoryStart, process.platform));
  } finally {
    await file.close();
  }
}

function manifestText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalid(`its ${MANIFEST} is not UTF-8`); // the decoder says no more than that
  }
}

function otherFile(source: BundleSource, expected: string, found: string): McpdError {
  return new McpdError('INTEGRITY_MISMATCH', {
    what: `${sourceText(source)} is not the file that was published`,
    why: `its sha256 is ${found}, and ${expected.toLowerCase()} was published`,
    fix: 'do not run it; ask its publisher',
  });
}
