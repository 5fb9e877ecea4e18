import type { PackageKind } from './model.ts';

/** Where a server came from, as the registry remembers it. */

export type ServerSource =
  /** From the bundled catalog: `ref` is its name there. */
  | { kind: 'catalog'; ref: string; package: InstalledPackage | null }
  /** A package that a person named: `ref` is what was asked for (`npm:@acme/mcp@latest`). */
  | { kind: PackageKind; ref: string; package: InstalledPackage }
  /** From a registry of servers: `ref` is `NAME@VERSION` there. A remote server has no package. */
  | { kind: 'registry'; ref: string; package: InstalledPackage | null }
  /** From a `server.json`: `ref` is its absolute path. */
  | { kind: 'document'; ref: string; package: InstalledPackage | null }
  /** A development server: `ref` is its absolute folder, watched for changes. */
  | { kind: 'folder'; ref: string }
  /** `mcpd add`: `ref` is the command line as typed. */
  | { kind: 'command'; ref: string }
  /** A remote server: `ref` is its address. */
  | { kind: 'url'; ref: string }
  /**
   * Declared by `mcpd apply -f`: `ref` is the absolute path of the file, where it must be changed. `digest` is the sha-256 (hex) of the
   * entry as declared, so that the next apply knows whether it changed; `package` is what its `install` fetched.
   */
  | { kind: 'file'; ref: string; digest?: string; install?: string; package?: InstalledPackage };

export interface InstalledPackage {
  kind: PackageKind;
  /** `@modelcontextprotocol/server-memory`; of `oci` the image without tag and digest; of `mcpb` where the bundle came from; of `git` its address. */
  identifier: string;
  /** Exact; of an image without a tag its digest; of a repository the commit. */
  version: string;
  /** `sha512-…` of npm as its lock file recorded it, `sha256:…` of an image or a file, `sha1:…` of a commit; empty where the tool that fetched it tells none. */
  integrity: string;
  /** Absent where there was nothing besides, and in what older releases installed. */
  asked?: AskedFor;
}

/** What a package was fetched and filled with besides, so that its other versions can be. */
export interface AskedFor {
  /** Another registry than the usual one. */
  registry?: string;
  /** The publisher's words before the package; secrets are references. */
  runtimeArguments?: string[];
  /** Of a repository: the branch or tag that looks like the beginning of a commit and is none. */
  reference?: string;
  /** Of a bundle, whose manifest makes a command line of it. */
  given?: GivenToBundle;
}

/** What a person gave: arguments after all others, values by their names, with references in the place of secrets; relative paths are meant from `cwd`. */
export interface GivenToBundle {
  args: string[];
  env: Record<string, string>;
  cwd: string | null;
}
