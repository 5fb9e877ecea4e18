import * as z from 'zod/mini';
import { SHARINGS } from '../src/core/model.ts';

/**
 * An entry of the bundled catalog: a `server.json` of the schema 2025-12-11
 * (https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json), read strictly, as it is our own; server-json.ts reads those
 * of others.
 */
const SERVER_JSON_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

/** Where mcpd's own members of a catalog entry are: the schema keeps `_meta` free for names of this form. */
export const CATALOG_META = 'io.mcpd/catalog';

const input = {
  description: z.optional(z.string()),
  isRequired: z.optional(z.boolean()),
  isSecret: z.optional(z.boolean()),
  format: z.optional(z.enum(['string', 'number', 'boolean', 'filepath'])),
  /** Not for people to change. `${dataDir}` in it is the server's own data folder. */
  value: z.optional(z.string()),
  default: z.optional(z.string()),
  placeholder: z.optional(z.string()),
  choices: z.optional(z.array(z.string())),
};

/** What `{name}` in a value or an address stands for. */
const variables = z.optional(z.record(z.string(), z.object(input)));

const PositionalArgument = z
  .object({
    type: z.literal('positional'),
    ...input,
    variables,
    valueHint: z.optional(z.string()),
    isRepeated: z.optional(z.boolean()),
  })
  .check(
    z.refine(
      (argument) => argument.value !== undefined || argument.valueHint !== undefined,
      'needs a value or a valueHint',
    ),
  );
const NamedArgument = z.object({
  type: z.literal('named'),
  ...input,
  variables,
  name: z.string(),
  isRepeated: z.optional(z.boolean()),
});

const Package = z.object({
  /** npm, pypi, oci, nuget, mcpb, …; mcpd's own: `bundled`, whose identifier is a file within `dist/`. */
  registryType: z.string(),
  identifier: z.string(),
  version: z.optional(
    z.string().check(z.refine((version) => EXACT_VERSION.test(version), 'must be one exact version')),
  ),
  fileSha256: z.optional(z.string().check(z.regex(/^[a-f0-9]{64}$/))),
  transport: z.object({ type: z.string() }),
  packageArguments: z.optional(z.array(z.discriminatedUnion('type', [PositionalArgument, NamedArgument]))),
  environmentVariables: z.optional(
    z.array(z.object({ name: z.string().check(z.regex(/^[A-Za-z_][A-Za-z0-9_]*$/)), ...input, variables })),
  ),
});

const Remote = z.object({
  type: z.enum(['streamable-http', 'sse']),
  url: z.url(),
  headers: z.optional(
    z.array(z.object({ name: z.string().check(z.regex(/^[A-Za-z][A-Za-z0-9-]*$/)), ...input, variables })),
  ),
  variables,
});

export const CatalogDocument = z.object({
  $schema: z.literal(SERVER_JSON_SCHEMA),
  name: z.string().check(z.minLength(3), z.maxLength(200), z.regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/)),
  title: z.string().check(z.minLength(1), z.maxLength(100)),
  description: z.string().check(z.minLength(1), z.maxLength(100)),
  version: z.string().check(z.maxLength(255), z.regex(/^\d[^\s^~<>*]*$/)),
  websiteUrl: z.optional(z.url()),
  repository: z.optional(
    z.object({ url: z.url(), source: z.string(), id: z.optional(z.string()), subfolder: z.optional(z.string()) }),
  ),
  /** Either a package or a remote: what is installed is known before. */
  packages: z.optional(z.array(Package).check(z.length(1))),
  remotes: z.optional(z.array(Remote).check(z.length(1))),
  _meta: z.object({
    [CATALOG_META]: z.object({
      /** What a person types. */
      name: z.string(),
      aliases: z.array(z.string()),
      keywords: z.array(z.string()),
      /** SPDX where there is one; `Proprietary` for a service whose server nobody sees. */
      licence: z.string().check(z.minLength(1)),
      status: z.optional(z.enum(['active', 'deprecated'])),
      sharing: z.optional(z.enum(SHARINGS)),
      /** What a person should know before installing; shown as warnings. */
      notes: z.optional(z.array(z.string().check(z.minLength(1)))),
    }),
  }),
});
export type CatalogDocument = z.infer<typeof CatalogDocument>;

// — internal —

const EXACT_VERSION = /^\d+(\.\d+)*([a-z]+\d+)?([-+][0-9A-Za-z.+-]+)?$/;
