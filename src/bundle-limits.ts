/** Every bound on a bundle (MCPB). A bundle comes from a stranger: what is over a bound is refused before anything is written. */

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

// — The file —
/** Of the bundle itself, downloaded or copied. Bundles with a runtime of their own have some 100 MiB. */
export const BUNDLE_BYTES_MAX = 500 * MIB;
export const BUNDLE_DOWNLOAD_MS = 10 * MINUTE;
/** From one piece of a download to the next. */
export const BUNDLE_SILENCE_MS = 30 * SECOND;
/** Releases of GitHub take two. */
export const BUNDLE_REDIRECTS_MAX = 5;
/** Downloads at once: each is written to the disk, and hashed. */
export const BUNDLE_DOWNLOADS_MAX = 2;
/** A bundle that was read for a plan waits so long for its install. */
export const BUNDLE_KEPT_MS = 10 * MINUTE;
export const BUNDLES_KEPT_MAX = 2;
/** The block of a signature behind the archive: certificates in it are a few KiB. */
export const BUNDLE_SIGNATURE_BYTES_MAX = 256 * KIB;
/** Where an archive's end is looked for: its record, and the comment that may follow, which 16 bits count. */
export const ARCHIVE_END_BYTES_MAX = 22 + 65_535;

// — What is in it —
export const BUNDLE_ENTRIES_MAX = 10_000;
export const BUNDLE_UNPACKED_BYTES_MAX = 500 * MIB;
/** Unpacked bytes for each packed one. Text comes to 10; deflate can reach 1032. */
export const BUNDLE_RATIO_MAX = 200;
/** Smaller files may have any ratio: a table of zeros does no harm. */
export const BUNDLE_RATIO_FROM_BYTES = 1 * MIB;
/** Of one name in a path, in bytes: what file systems take. */
export const BUNDLE_NAME_BYTES_MAX = 255;
/** Of a whole path. */
export const BUNDLE_PATH_BYTES_MAX = 1024;
/** Folders within folders: modules within modules come to 20. */
export const BUNDLE_DEPTH_MAX = 40;
export const BUNDLE_MANIFEST_BYTES_MAX = 1 * MIB;

// — What its manifest may ask —
/** `python3 --version` on a machine under load. */
export const RUNTIME_VERSION_MS = 10 * SECOND;
export const BUNDLE_ARGUMENTS_MAX = 256;
export const BUNDLE_VARIABLES_MAX = 128;
export const BUNDLE_INPUTS_MAX = 64;
/** Of one text of a manifest that becomes part of a command line. */
export const BUNDLE_TEXT_BYTES_MAX = 32 * KIB;
