import * as z from 'zod/mini';
import {
  BUNDLE_ARGUMENTS_MAX,
  BUNDLE_INPUTS_MAX,
  BUNDLE_TEXT_BYTES_MAX,
  BUNDLE_VARIABLES_MAX,
} from '../../bundle-limits.ts';
import { McpdError } from '../../errors.ts';
import { showable } from '../../text.ts';
import { jsonFault } from '../json-fault.ts';
import { BUNDLE_FOLDER } from './places.ts';

/**
 * The manifest of a bundle, revisions 0.1 to 0.4 (https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md). Nothing of it is
 * trusted: texts are bounded, members that mcpd has no use for are not looked at.
 */
export interface Manifest {
  name: string;
  title: string;
  version: string;
  description: string;
  author: string;
  repository: string | null;
  homepage: string | null;
  licence: string | null;
  kind: ServerKind;
  /** Relative to the bundle, as written; null where `config` says everything. */
  entryPoint: string | null;
  /** For the platform it was read for; null where only the kind and the entry point say how it runs. */
  config: McpConfig | null;
  userConfig: UserConfig[];
  /** Null: any. */
  platforms: string[] | null;
  runtimes: { node: string | null; python: string | null };
}

type ServerKind = 'node' | 'python' | 'binary' | 'uv';

/** Texts with variables, as written. */
export interface McpConfig {
  command: string;
  args: string[];
  env: Record<string, string>;
}

/** A value that a person gives. */
export interface UserConfig {
  key: string;
  type: 'string' | 'number' | 'boolean' | 'directory' | 'file';
  title: string;
  description: string;
  required: boolean;
  multiple: boolean;
  sensitive: boolean;
  /** Several only where it may have several. Directories hold variables such as `${HOME}`. */
  default: string[] | null;
  min: number | null;
  max: number | null;
}

/** @throws {McpdError} BUNDLE_INVALID saying which member is wrong and how */
export function readManifest(text: string, platform: NodeJS.Platform): Manifest {
  const value = parsed(text);
  const revision = revisionOf(value);
  const read = Document.safeParse(value);
  if (!read.success) throw wrong(faultOf(read.error));
  const { name, version, description, author, server, compatibility, user_config: userConfig, ...more } = read.data;
  if (server.type === 'uv' && revision !== '0.4') throw wrong('server.type "uv" is of revision 0.4');
  if (server.mcp_config === undefined && server.type !== 'uv') throw wrong('server.mcp_config is missing');
  return {
    name,
    title: more.display_name ?? name,
    version,
    description,
    author: author.name,
    repository: typeof more.repository === 'string' ? more.repository : (more.repository?.url ?? null),
    homepage: more.homepage ?? null,
    licence: more.license ?? null,
    kind: server.type,
    entryPoint: server.entry_point ?? null,
    config: server.mcp_config === undefined ? null : configFor(server.mcp_config, platform),
    userConfig: Object.entries(userConfig ?? {}).map(([key, one]) => userConfigOf(key, one)),
    platforms: compatibility?.platforms ?? null,
    runtimes: { node: compatibility?.runtimes?.node ?? null, python: compatibility?.runtimes?.python ?? null },
  };
}

/** What it is started with, as written. `uv` of revision 0.4 may say nothing but its entry point. */
export function programTemplates({ config, entryPoint }: Manifest): McpConfig {
  if (config !== null) return config;
  const script = entryPoint === null ? [] : [entryPoint];
  return { command: 'uv', args: ['run', '--directory', BUNDLE_FOLDER, ...script], env: {} };
}

// — internal —

const REVISIONS = ['0.1', '0.2', '0.3', '0.4'];

const Line = z.string().check(z.minLength(1), z.maxLength(1000));
const Template = z.string().check(
  z.refine((text) => !text.includes('\0'), 'has a NUL character'),
  z.refine((text) => Buffer.byteLength(text) <= BUNDLE_TEXT_BYTES_MAX, `is longer than ${BUNDLE_TEXT_BYTES_MAX} bytes`),
  // These are mcpd's own and filled at each start; a bundle gets what a person gives by its user_config.
  z.refine((text) => !/\$\{\w+:/.test(text), 'names a secret or a variable of the person'),
);
const Arguments = z.array(Template).check(z.maxLength(BUNDLE_ARGUMENTS_MAX));
const Variables = z
  .record(z.string(), Template)
  .check(namesBy(/^[A-Za-z_][A-Za-z0-9_]*$/, 'a variable'), atMost(BUNDLE_VARIABLES_MAX, 'variables'));
const Command = Template.check(z.minLength(1));
const Override = z.object({
  command: z.optional(Command),
  args: z.optional(Arguments),
  env: z.optional(Variables),
});
const Config = z.object({
  command: Command,
  args: z.optional(Arguments),
  env: z.optional(Variables),
  platform_overrides: z.optional(z.record(z.string(), Override)),
});
const Value = z.union([Template, z.number(), z.boolean()]);
const UserConfigEntry = z.object({
  type: z.enum(['string', 'number', 'boolean', 'directory', 'file']),
  title: z.optional(z.string()),
  description: z.optional(z.string()),
  required: z.optional(z.boolean()),
  default: z.optional(z.union([Value, z.array(Template)])),
  multiple: z.optional(z.boolean()),
  sensitive: z.optional(z.boolean()),
  min: z.optional(z.number()),
  max: z.optional(z.number()),
});
const Document = z.object({
  name: Line,
  display_name: z.optional(z.string()),
  /** It becomes the name of a folder. */
  version: z.string().check(z.regex(/^[0-9A-Za-z][0-9A-Za-z.+_-]{0,99}$/, 'is no version')),
  description: z.string().check(z.maxLength(10_000)),
  author: z.object({ name: Line }),
  repository: z.optional(z.union([z.string(), z.object({ url: z.string() })])),
  homepage: z.optional(z.string()),
  license: z.optional(z.string()),
  server: z.object({
    type: z.enum(['node', 'python', 'binary', 'uv']),
    entry_point: z.optional(Command),
    mcp_config: z.optional(Config),
  }),
  user_config: z.optional(
    z
      .record(z.string(), UserConfigEntry)
      .check(namesBy(/^[A-Za-z0-9_][A-Za-z0-9_.-]{0,63}$/, 'a setting'), atMost(BUNDLE_INPUTS_MAX, 'settings')),
  ),
  compatibility: z.optional(
    z.object({
      platforms: z.optional(z.array(z.string())),
      runtimes: z.optional(z.object({ node: z.optional(z.string()), python: z.optional(z.string()) })),
    }),
  ),
});

function namesBy(rule: RegExp, ofWhat: string) {
  return z.refine<Record<string, unknown>>(
    (record) => Object.keys(record).every((name) => rule.test(name)),
    `has what cannot be the name of ${ofWhat}`,
  );
}

function atMost(count: number, what: string) {
  return z.refine<Record<string, unknown>>(
    (record) => Object.keys(record).length <= count,
    `has more than ${count} ${what}`,
  );
}

function parsed(text: string): Record<string, unknown> {
  const json = text.replace(/^\uFEFF/, '');
  try {
    const value: unknown = JSON.parse(json);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    throw wrong(`it is not JSON: ${jsonFault(json, error)}`);
  }
  throw wrong('it is no JSON object');
}

function revisionOf(manifest: Record<string, unknown>): string {
  const given = manifest['manifest_version'] ?? manifest['dxt_version'];
  if (typeof given === 'string' && REVISIONS.includes(given)) return given;
  const known = `mcpd reads ${REVISIONS.join(', ')}`;
  throw wrong(
    given === undefined
      ? `it has no manifest_version; ${known}`
      : `its manifest_version is ${shortened(JSON.stringify(given))}; ${known}`,
  );
}

/** Each member that an override has takes the place of the whole member. */
function configFor(config: z.infer<typeof Config>, platform: NodeJS.Platform): McpConfig {
  const overrides = config.platform_overrides ?? {};
  const override = Object.hasOwn(overrides, platform) ? overrides[platform] : undefined;
  return {
    command: override?.command ?? config.command,
    args: override?.args ?? config.args ?? [],
    env: override?.env ?? config.env ?? {},
  };
}

function userConfigOf(key: string, one: z.infer<typeof UserConfigEntry>): UserConfig {
  const multiple = one.multiple ?? false;
  const given = one.default;
  if (Array.isArray(given) && !multiple)
    throw wrong(`user_config.${key}: a default of several values is for "multiple" only`);
  return {
    key,
    type: one.type,
    title: one.title ?? key,
    description: one.description ?? '',
    required: one.required ?? false,
    multiple,
    sensitive: one.sensitive ?? false,
    default: given === undefined ? null : Array.isArray(given) ? given : [String(given)],
    min: one.min ?? null,
    max: one.max ?? null,
  };
}

function faultOf(error: z.core.$ZodError): string {
  const issue = error.issues[0];
  return issue === undefined ? 'it is not as the specification says' : `${issue.path.join('.')}: ${issue.message}`;
}

function wrong(why: string): McpdError {
  return new McpdError('BUNDLE_INVALID', {
    what: 'the manifest of the bundle will not do',
    why: showable(shortened(why)),
    fix: 'ask its publisher; "mcpb validate" checks a manifest',
  });
}

const FAULT_SHOWN = 300;

function shortened(text: string): string {
  return text.length <= FAULT_SHOWN ? text : `${text.slice(0, FAULT_SHOWN - 1)}…`;
}
