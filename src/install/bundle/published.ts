import type { Published, PublishedArgument, PublishedInput, PublishedPackage } from '../../../registry/published.ts';
import { McpdError } from '../../errors.ts';
import { type Manifest, programTemplates, type UserConfig } from './manifest.ts';
import { filledPlaces, type Places } from './places.ts';
import { named } from './refusal.ts';

/**
 * A bundle as a published server with one package: what its user_config asks becomes inputs, its command line becomes templates of them.
 * `${__dirname}` stays in these. Pure.
 * @param from the bundle's path or address
 * @param sha256 of the file that was read: the package is that file and no other
 * @throws {McpdError} PACKAGE_NOT_RUNNABLE when its command line names what it does not ask
 */
export function publishedBundle(manifest: Manifest, from: string, sha256: string, places: Places): Published {
  const { name, title, description, version, author, repository, homepage, licence } = manifest;
  const { args, env } = programTemplates(manifest);
  const inputs = new Map(manifest.userConfig.map((one) => [one.key, { input: inputOf(one, places), one }]));
  const pack: PublishedPackage = {
    ...{ kind: 'mcpb', identifier: from, version, registryBaseUrl: null, fileSha256: sha256 },
    ...{ runtimeHint: null, runtimeArguments: [] },
    arguments: args.map((text) => argumentOf(text, inputs, places)),
    env: Object.entries(env).map(([variable, text]) => ({ ...filledInput(text, inputs, places), name: variable })),
  };
  return {
    ...{ name, title, description, version, publisher: author, repository, websiteUrl: homepage, licence },
    ...{ status: 'active', statusMessage: null, warnings: [] },
    ...{ packages: [pack], remotes: [], unsupported: [] },
  };
}

// — internal —

type Inputs = ReadonlyMap<string, { input: PublishedInput; one: UserConfig }>;

const PREFIX = 'user_config.';
const SETTING = /\$\{user_config\.([^{}$]*)\}/g;
const SOLE_SETTING = /^\$\{user_config\.([^{}$]*)\}$/;
const FORMATS = {
  string: 'string',
  number: 'number',
  boolean: 'boolean',
  directory: 'filepath',
  file: 'filepath',
} as const;

/** Only an argument that is nothing but a setting can become several. */
function argumentOf(text: string, inputs: Inputs, places: Places): PublishedArgument {
  const key = SOLE_SETTING.exec(text)?.[1];
  if (key === undefined) return { flag: null, repeated: false, input: filledInput(text, inputs, places) };
  const { input, one } = settingOf(key, inputs);
  return { flag: null, repeated: one.multiple, input };
}

/** A text with its settings as variables of it. */
function filledInput(text: string, inputs: Inputs, places: Places): PublishedInput {
  const keys = [...new Set([...text.matchAll(SETTING)].map(([, key]) => key ?? ''))];
  for (const key of keys) checkUnmistakable(key, text);
  return {
    ...NOTHING_ASKED,
    value: filledPlaces(text, places).replace(SETTING, (_, key: string) => `{${key}}`),
    variables: keys.map((key) => settingOf(key, inputs).input),
  };
}

const NOTHING_ASKED: Omit<PublishedInput, 'value' | 'variables'> = {
  ...{ name: '', description: '', required: false, secret: false, format: 'string' },
  ...{ default: null, placeholder: null, choices: null },
};

function inputOf(one: UserConfig, places: Places): PublishedInput {
  const { key, title, description, required, sensitive, type, min, max } = one;
  return {
    name: key,
    description: description === '' ? (title === key ? '' : title) : description,
    required,
    secret: sensitive,
    format: FORMATS[type],
    value: null,
    default: one.default === null ? null : one.default.map((text) => filledPlaces(text, places)).join('\n'),
    placeholder: null,
    choices: null,
    variables: [],
    ...(type === 'number' ? { min, max } : {}),
  };
}

function settingOf(key: string, inputs: Inputs): { input: PublishedInput; one: UserConfig } {
  const found = inputs.get(key);
  if (found !== undefined) return found;
  throw notRunnable(`its command line needs ${named(PREFIX + key)}, which its user_config does not have`);
}

/** The same word in braces would be taken for the setting. */
function checkUnmistakable(key: string, text: string): void {
  if (text.replace(SETTING, '').includes(`{${key}}`))
    throw notRunnable(`mcpd cannot tell ${named(`{${key}}`)} in it from the setting ${named(key)}`);
}

function notRunnable(why: string): McpdError {
  return new McpdError('PACKAGE_NOT_RUNNABLE', {
    what: 'the bundle cannot be started',
    why,
    fix: 'ask its publisher; or unpack it, and name the program yourself: mcpd add NAME -- PROGRAM ARGS',
  });
}
