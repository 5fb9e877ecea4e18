import * as z from 'zod/mini';

/**
 * The shape of a `server.json`, all revisions since 2025-07-09 in the words of the newest (2025-12-11). Lenient where publishers are loose
 * (numbers as values, null for what is absent, members that nobody knows); what the texts may be is checked where they are used.
 */

const text = z.string().check(z.maxLength(8192));
const optionalText = z.optional(text);
const flag = z.optional(z.boolean());
/** Publishers write `8080` and `true` without quotes. */
const value = z.optional(z.pipe(z.union([text, z.number(), z.boolean()]), z.transform(String)));

const inputMembers = {
  description: optionalText,
  isRequired: flag,
  isSecret: flag,
  format: optionalText,
  value,
  default: value,
  placeholder: value,
  choices: z.optional(z.array(z.pipe(z.union([text, z.number(), z.boolean()]), z.transform(String)))),
};
/** Templates within templates have no use, and their depth no end. */
const Variable = z.object(inputMembers);
export type Variable = z.infer<typeof Variable>;
const variables = z.optional(z.record(z.string().check(z.maxLength(255)), Variable));

const InputMembers = z.object({ ...inputMembers, variables });
export type InputMembers = z.infer<typeof InputMembers>;

const KeyedInput = z.object({ name: text, ...inputMembers, variables });
export type KeyedInput = z.infer<typeof KeyedInput>;

const Argument = z.object({
  /** Left out by some of the first documents. */
  type: z.optional(z.enum(['positional', 'named'])),
  name: optionalText,
  valueHint: optionalText,
  isRepeated: flag,
  ...inputMembers,
  variables,
});
export type Argument = z.infer<typeof Argument>;

const Transport = z.object({ type: text, url: optionalText });

const list = <T extends z.core.$ZodType>(of: T) => z.optional(z.array(of).check(z.maxLength(LIST_MAX)));
/** Of packages, arguments, variables: none has near so many. */
const LIST_MAX = 256;

const Package = z.object({
  registryType: text,
  identifier: text,
  version: optionalText,
  registryBaseUrl: optionalText,
  fileSha256: optionalText,
  runtimeHint: optionalText,
  transport: z.optional(Transport),
  runtimeArguments: list(Argument),
  packageArguments: list(Argument),
  environmentVariables: list(KeyedInput),
});
export type PackageMembers = z.infer<typeof Package>;

const Remote = z.object({ type: text, url: text, variables, headers: list(KeyedInput) });
export type RemoteMembers = z.infer<typeof Remote>;

export const ServerDocument = z.object({
  name: text,
  title: optionalText,
  description: optionalText,
  version: optionalText,
  status: optionalText,
  websiteUrl: optionalText,
  license: optionalText,
  repository: z.optional(z.object({ url: optionalText })),
  packages: list(Package),
  remotes: list(Remote),
});
export type ServerDocument = z.infer<typeof ServerDocument>;

/**
 * The document in the words of the newest revision: snake_case becomes camelCase, what was renamed or moved takes its place, and null
 * members are left out. Names that publishers chose (keys of `variables`) stay.
 */
export function inNewestWords(value: unknown, isNames = false): unknown {
  if (Array.isArray(value)) return value.map((each) => inNewestWords(each));
  if (!isMembers(value)) return value;
  const members = Object.entries(value).filter(([, member]) => member !== null);
  const renamed = members.map(([key, member]): [string, unknown] => {
    const name = isNames ? key : (RENAMED.get(key) ?? key);
    return [name, name === '_meta' ? member : inNewestWords(member, name === 'variables' && !isNames)];
  });
  const result = Object.fromEntries(renamed);
  const detail = result['versionDetail'];
  if (!isNames && isMembers(detail) && result['version'] === undefined) result['version'] = detail['version'];
  return result;
}

// — internal —

const RENAMED = new Map([
  ['registry_type', 'registryType'],
  ['registry_name', 'registryType'],
  ['registry_base_url', 'registryBaseUrl'],
  ['file_sha256', 'fileSha256'],
  ['runtime_hint', 'runtimeHint'],
  ['runtime_arguments', 'runtimeArguments'],
  ['package_arguments', 'packageArguments'],
  ['environment_variables', 'environmentVariables'],
  ['is_required', 'isRequired'],
  ['is_secret', 'isSecret'],
  ['is_repeated', 'isRepeated'],
  ['value_hint', 'valueHint'],
  ['website_url', 'websiteUrl'],
  ['version_detail', 'versionDetail'],
  ['transport_type', 'type'],
]);

function isMembers(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
