import { resolve } from 'node:path';
import type { AddRequest, InstallPlan, InstallRequest } from '../../src/api/contract.ts';
import { PACKAGE_CHOICES } from '../../src/core/model.ts';
import { McpdError } from '../../src/errors.ts';
import { shellWord } from '../../src/shell-word.ts';
import { isNewest, isUnvouched, pinnedSpec } from '../../src/shown-plan.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import { fromCaller, type GivenVariables, givenVariables } from '../environment-flags.ts';
import { addressOptions } from '../header-flags.ts';
import { collectInputs } from '../inputs.ts';
import { followInstall } from '../installing.ts';
import { showPlan } from '../plan-text.ts';
import { askConsent } from '../prompt/ask.ts';
import { settingsOf, sharingOf } from '../settings-flags.ts';
import { installSnippet } from '../snippet/install.ts';
import { pastedText } from '../snippet/pasted.ts';

export async function runInstall(parsed: Parsed, context: Context): Promise<number | undefined> {
  const [typedSpec = ''] = parsed.operands;
  const snippet = await pastedText(typedSpec, context);
  if (snippet !== null) {
    if (parsed.value('package') !== undefined) throw new McpdError('USAGE', NOTHING_TO_CHOOSE);
    return installSnippet(snippet, parsed, context);
  }
  await installSpec(typedSpec, parsed, context);
  return undefined;
}

async function installSpec(typedSpec: string, parsed: Parsed, context: Context): Promise<void> {
  const given = givenVariables(parsed.values('env'));
  const name = parsed.value('name');
  const asked: InstallRequest = {
    spec: absolute(typedSpec, context.cwd),
    cwd: context.cwd,
    args: [...parsed.rest],
    ...(name === undefined ? {} : { name }),
    ...sharingOf(parsed),
    ...packageOf(parsed),
    ...(parsed.flag('allow-scripts') ? { allowScripts: true } : {}),
    ...(await addressOptions(parsed, `mcpd install ${shellWord(typedSpec)}`, context)),
  };
  const daemon = await context.daemon();
  if (parsed.flag('dry-run')) return showDryRun(asked, given, daemon, parsed, context);
  const plan = await daemon.request<InstallPlan>('POST', '/api/plans', asked);
  const env = await collectInputs(
    plan.inputs,
    given,
    `mcpd install ${shellWord(typedSpec)}`,
    parsed.flag('yes'),
    context,
  );
  const asks = isConsentAsked(plan, typedSpec, parsed, context);
  // Who is asked to agree is told which version the newest is. A tag or a range that was named goes on to count.
  const isExact = asks && isNewest(plan);
  const final =
    isExact || Object.keys(env).length > 0
      ? await daemon.request<InstallPlan>('POST', `/api/plans${isExact ? '?exact=1' : ''}`, { ...asked, env })
      : plan;
  // What was shown is what is fetched: a newer version that appears in between is not.
  const request = { ...asked, spec: pinnedSpec(asked.spec, final), env };
  showPlan(final, context);
  const { keyboard, output } = context;
  if (asks && keyboard !== null && !(await askConsent(`Install ${final.name}?`, 'yes', keyboard, output)))
    return output.say('Nothing was installed.');
  await followInstall(daemon, '/api/servers', request, final.warnings, parsed, context);
}

export async function runAdd(parsed: Parsed, context: Context): Promise<void> {
  const [name = ''] = parsed.operands;
  const common = { name, ...settingsOf(parsed), trial: !parsed.flag('no-trial') };
  const url = parsed.value('url');
  checkOneWay(parsed, name, url);
  const request: AddRequest =
    url === undefined
      ? { ...common, ...(await commandOf(parsed, name, context)) }
      : {
          ...common,
          url,
          ...(await addressOptions(parsed, `mcpd add ${shellWord(name)} --url ${shellWord(url)}`, context)),
        };
  await followInstall(await context.daemon(), '/api/servers/add', request, [], parsed, context);
}

// — internal —

async function commandOf(parsed: Parsed, name: string, context: Context) {
  const [command = '', ...args] = parsed.rest;
  const given = givenVariables(parsed.values('env'));
  const env = await collectInputs([], given, `mcpd add ${shellWord(name)}`, false, context);
  return { command, args, cwd: context.cwd, env };
}

/** A server is a command or an address, and the options of the one mean nothing to the other. @throws McpdError USAGE */
function checkOneWay(parsed: Parsed, name: string, url: string | undefined): void {
  const usage = (what: string, fix: string) =>
    new McpdError('USAGE', { what, fix: `mcpd add ${shellWord(name)} ${fix}` });
  if (url !== undefined && parsed.rest.length > 0)
    throw usage('a server has a command or an address, not both', `--url ${shellWord(url)}`);
  if (url !== undefined && parsed.values('env').length > 0)
    throw usage(
      '--env is for the process of a server, and a remote one has none here',
      `--url ${shellWord(url)} --header 'NAME: VALUE'`,
    );
  if (url === undefined && (parsed.values('header').length > 0 || parsed.value('transport') !== undefined))
    throw usage('--header and --transport are for a remote server', '--url https://…');
}

const NOTHING_TO_CHOOSE = {
  what: '--package is for a server that is published in several ways',
  why: 'a configuration says itself how each of its servers is run',
  fix: 'leave --package out',
};

/** @throws McpdError USAGE */
function packageOf(parsed: Parsed): Pick<InstallRequest, 'package'> {
  const text = parsed.value('package');
  if (text === undefined) return {};
  const found = PACKAGE_CHOICES.find((kind) => kind === text);
  if (found !== undefined) return { package: found };
  throw new McpdError('USAGE', {
    what: `--package ${text} is not known`,
    why: `a published server can be had in these ways: ${PACKAGE_CHOICES.join(', ')}`,
  });
}

/** A path, in any spelling that a name of the catalog cannot have. */
function isFolder(spec: string): boolean {
  return spec === '.' || spec === '..' || /^(\.{1,2}[/\\]|[/\\]|[A-Za-z]:[/\\])/.test(spec);
}

/** Paths are meant from where the person is; those of bundles may stand behind `mcpb:`. */
function absolute(spec: string, cwd: string): string {
  if (isFolder(spec)) return resolve(cwd, spec);
  const path = /^\s*mcpb:(?!https?:)(.*)$/i.exec(spec)?.[1];
  return path === undefined ? spec : `mcpb:${resolve(cwd, path)}`;
}

/** With the version that a package comes in today; values are given by flags only, and nothing is asked. */
async function showDryRun(
  asked: InstallRequest,
  given: GivenVariables,
  daemon: Awaited<ReturnType<Context['daemon']>>,
  parsed: Parsed,
  context: Context,
): Promise<void> {
  const variables = [...fromCaller(given, context.env)].filter((entry): entry is [string, string] => entry[1] !== null);
  const env = Object.fromEntries(variables.map(([name, value]) => [name, { value, secret: true }]));
  const plan = await daemon.request<InstallPlan>('POST', '/api/plans?exact=1', { ...asked, env });
  if (parsed.flag('json')) return context.output.json(plan);
  showPlan(plan, context);
  context.output.say('Nothing was installed.');
}

/** The command line is the consent, unless it names what no catalog has looked at. */
function isConsentAsked(plan: InstallPlan, spec: string, parsed: Parsed, { keyboard }: Context): boolean {
  return keyboard !== null && !parsed.flag('yes') && isUnvouched(spec, plan);
}
