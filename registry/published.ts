import type { HttpTransport, PackageKind } from '../src/core/model.ts';

/**
 * A published server: what its publisher says of it, whatever form that had (the bundled catalog, a `server.json` of any revision, the
 * manifest of a bundle). Nothing here is resolved: values are a person's to give, or templates.
 */

export interface Published {
  /** Reverse DNS, as in `io.github.acme/weather`. */
  name: string;
  title: string;
  /** One line. */
  description: string;
  /** Of the description; a package has its own. */
  version: string;
  /** Whose it is, as far as it is told: the owner of the name or of the repository. */
  publisher: string | null;
  repository: string | null;
  websiteUrl: string | null;
  licence: string | null;
  status: 'active' | 'deprecated' | 'deleted';
  statusMessage: string | null;
  /** To be shown before an install. */
  warnings: string[];
  packages: PublishedPackage[];
  remotes: PublishedRemote[];
  /** Packages and remotes that mcpd has no way to use, each as a reason: `a package of the kind "cargo"`. */
  unsupported: string[];
}

export interface PublishedPackage {
  /** `bundled`: its identifier is a file relative to mcpd's `dist/`. */
  kind: PackageKind | 'bundled';
  /** A name, an image or an address, as its kind has it; of an image without tag and digest. */
  identifier: string;
  /** Exact, as published; a tag or a range only where a person named the package. Of an image its tag or digest. Null: none was told. */
  version: string | null;
  /** Another registry than the usual one of its kind. */
  registryBaseUrl: string | null;
  /** Of the file that is fetched, 64 hex digits. */
  fileSha256: string | null;
  /** The program that the publisher runs it with: `npx`, `uvx`, `docker`, `dnx`. */
  runtimeHint: string | null;
  /** Before the package, in the order of the command line. */
  runtimeArguments: PublishedArgument[];
  /** After it. */
  arguments: PublishedArgument[];
  env: PublishedInput[];
}

export interface PublishedRemote {
  transport: HttpTransport;
  /** May hold `{name}` of `variables`. */
  url: string;
  variables: PublishedInput[];
  headers: PublishedInput[];
}

/** One value of a server that is fixed, or that a person gives. */
export interface PublishedInput {
  /** Of a variable or a header its name, of a flag the flag without dashes, of a positional argument its hint. */
  name: string;
  description: string;
  required: boolean;
  secret: boolean;
  format: 'string' | 'number' | 'boolean' | 'filepath';
  /** Fixed: nobody is asked. `${dataDir}` in it stands for the server's data folder. Null: a person's to give. */
  value: string | null;
  default: string | null;
  placeholder: string | null;
  choices: string[] | null;
  /** Of a number; null or left out: none. */
  min?: number | null;
  max?: number | null;
  /** What `{name}` in `value` stands for. */
  variables: PublishedInput[];
}

export interface PublishedArgument {
  /** `--port` of a named argument, which is two entries of argv; null for a positional one. */
  flag: string | null;
  /** May be given several times; a flag is repeated with it. */
  repeated: boolean;
  /** Null: a flag alone. */
  input: PublishedInput | null;
}

/** What a person may be asked for a package: everything that is not fixed, in the order of the command line. */
export function inputsOfPackage(pack: PublishedPackage): PublishedInput[] {
  const args = [...pack.runtimeArguments, ...pack.arguments].flatMap(({ input }) => (input === null ? [] : [input]));
  return asked([...args, ...pack.env]);
}

/** As `inputsOfPackage`, for a remote server. */
export function inputsOfRemote(remote: PublishedRemote): PublishedInput[] {
  return asked([...remote.variables, ...remote.headers]);
}

// — internal —

/** Of a template its variables; each name once. */
function asked(inputs: readonly PublishedInput[]): PublishedInput[] {
  const open = inputs.flatMap((input) => (input.value === null ? [input] : asked(input.variables)));
  const names = new Set<string>();
  return open.filter(({ name }) => !names.has(name) && names.add(name));
}
