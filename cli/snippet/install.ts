import type { AddRequest, InputSpec, InstallPlan, InstallRequest } from '../../src/api/contract.ts';
import type { DaemonClient } from '../../src/control/client.ts';
import { McpdError } from '../../src/errors.ts';
import {
  type Given,
  readSnippet,
  type SnippetServer,
  type SnippetWay,
  snippetValues,
} from '../../src/install/snippet.ts';
import { shellWord } from '../../src/shell-word.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import { type GivenVariables, givenVariables } from '../environment-flags.ts';
import { collectInputs } from '../inputs.ts';
import { type Ended, endJson, followed, printInstalled, printReach, reachOf } from '../installing.ts';
import { errorJson, errorLines } from '../output.ts';
import { showPlan } from '../plan-text.ts';
import { askConsent } from '../prompt/ask.ts';
import { sharingOf } from '../settings-flags.ts';
import { showSnippetPlans } from './dry-run.ts';
import { nameOfWay, ownVariables } from './meant.ts';
import type { Pasted } from './pasted.ts';

/** Installs the servers of a pasted configuration one after the other; one that fails does not stop the next. */
export async function installSnippet(pasted: Pasted, parsed: Parsed, context: Context): Promise<number> {
  const { servers, unread } = readSnippet(pasted.text, pasted.where);
  const given = givenVariables(parsed.values('env'));
  checkOptions(servers, given, pasted, parsed);
  if (parsed.flag('dry-run')) return showSnippetPlans({ servers, unread }, given, parsed, context);
  const asking: Context = { ...context, cwd: context.cwd, keyboard: pasted.keyboard };
  const { output, signal } = asking;
  const result: Result = { installed: [], skipped: [], failed: [] };
  const failed = (name: string, error: McpdError) => {
    result.failed.push({ name, error });
    if (!parsed.flag('json')) for (const line of errorLines(error, output.sayPaint)) output.say(line);
  };
  const daemon = await asking.daemon();
  for (const [at, server] of servers.entries()) {
    if (signal.aborted) break;
    const name = parsed.value('name') ?? server.name ?? nameOfWay(server.way);
    const place = `line ${server.line}, column ${server.column}`;
    output.say(`${output.sayPaint.dim(`[${at + 1}/${servers.length}]`)} ${showable(name ?? '(no name)')}, ${place}`);
    try {
      const ended = await installOne(server, name, { daemon, given, pasted, parsed, context: asking });
      if (ended === null) result.skipped.push(name ?? '');
      else {
        result.installed.push(ended);
        if (!parsed.flag('json')) printInstalled(ended, asking);
      }
    } catch (error) {
      if (!(error instanceof McpdError)) throw error;
      failed(name ?? '', error);
    }
  }
  for (const { name, error } of unread) failed(name, error);
  await showResult(result, daemon, parsed, asking);
  return result.failed[0]?.error.exitCode ?? 0;
}

// — internal —

interface Result {
  installed: Ended[];
  /** Said no to, or not used by the host it comes from. */
  skipped: string[];
  failed: { name: string; error: McpdError }[];
}

interface Work {
  daemon: DaemonClient;
  given: GivenVariables;
  pasted: Pasted;
  parsed: Parsed;
  context: Context;
}

/** Null when it was left out. @throws McpdError as an install or add does */
async function installOne(server: SnippetServer, name: string | undefined, work: Work): Promise<Ended | null> {
  const { daemon, parsed, context } = work;
  const { output, keyboard } = context;
  for (const warning of server.warnings) output.say(`${output.sayPaint.yellow('warning')}  ${showable(warning)}`);
  if (server.disabled) {
    const wanted = keyboard !== null && !parsed.flag('yes');
    if (!wanted || !(await askConsent('It is switched off there. Install it all the same?', 'no', keyboard, output))) {
      output.say('It is switched off there, and left out.');
      return null;
    }
  }
  const answers = await answersFor(server, work);
  const { args, env, headers } = snippetValues(server.way, answers);
  const { way } = server;
  for (const [key, value] of ownVariables(server, work.given, context))
    env[key] = { value, secret: env[key]?.secret ?? true };
  if (way.kind === 'command') return addCommand(way, name, args, env, work);
  const request: InstallRequest = {
    ...(way.kind === 'package' ? { spec: way.spec, args, env } : { spec: way.url, transport: way.transport, headers }),
    ...(name === undefined ? {} : { name }),
    ...sharingOf(parsed),
    ...(parsed.flag('allow-scripts') ? { allowScripts: true } : {}),
    cwd: context.cwd,
  };
  const plan = await daemon.request<InstallPlan>('POST', '/api/plans', request);
  showPlan(plan, context);
  if (!(await consented(plan.name, work))) return null;
  // What was shown is what is fetched: a newer version that appears in between is not.
  const exact = way.kind === 'package' ? { ...request, spec: plan.fetch ?? way.spec } : request;
  return followed(daemon, '/api/servers', exact, plan.warnings, context);
}

async function addCommand(
  way: Extract<SnippetWay, { kind: 'command' }>,
  name: string | undefined,
  args: string[],
  env: Given,
  work: Work,
): Promise<Ended | null> {
  const { daemon, parsed, context } = work;
  const { output } = context;
  if (name === undefined)
    throw new McpdError('USAGE', { what: 'that server has no name', fix: `${work.pasted.command} --name NAME` });
  const request: AddRequest = {
    ...{ name, command: way.command, args, env, trial: true },
    ...sharingOf(parsed),
    cwd: way.cwd ?? context.cwd,
  };
  const names = Object.keys(env).map((key) => `${key}=…`);
  const line = [...names, ...[way.command, ...args].map(shellWord)].join(' ');
  output.say(`${output.sayPaint.bold('add    ')}  ${showable(name)}`);
  output.say(`${output.sayPaint.bold('run    ')}  ${showable(line)}`);
  if (!(await consented(name, work))) return null;
  return followed(daemon, '/api/servers/add', request, [], context);
}

/** Somebody else wrote what is pasted: it is installed only when a person has seen what it comes to. */
async function consented(name: string, { pasted, parsed, context }: Work): Promise<boolean> {
  const { keyboard, output } = context;
  if (parsed.flag('yes')) return true;
  if (keyboard === null)
    throw new McpdError('USAGE', {
      what: `${name} was not installed`,
      why: 'nobody can be asked whether that may run: there is no terminal',
      fix: `${pasted.command} --yes`,
    });
  if (await askConsent(`Install ${name}?`, 'yes', keyboard, output)) return true;
  output.say('It was not installed.');
  return false;
}

/** What is asked for, by name: from `--env`, from the caller's environment where that is meant, from the person, or its default. */
async function answersFor(server: SnippetServer, work: Work): Promise<Map<string, string>> {
  const { given, pasted, context } = work;
  const asked = new Map(server.asked.map((each) => [each.name, each]));
  const known = new Map([...given].filter(([name]) => asked.has(name)));
  for (const { name, environment } of asked.values()) {
    const own = context.env[name];
    if (!environment || own === undefined || known.has(name)) continue;
    known.set(name, own);
    context.output.say(`${name} is taken from your environment, as it is now.`);
  }
  const inputs = server.asked.map(
    ({ name, description, required, secret, default: preset, choices }): InputSpec => ({
      ...{ name, description, required, secret, choices },
      default: preset,
    }),
  );
  const variables = await collectInputs(inputs, known, pasted.command, work.parsed.flag('yes'), context);
  return new Map(Object.entries(variables).map(([name, { value }]) => [name, value]));
}

/** @throws McpdError USAGE for options that mean nothing here */
function checkOptions(
  servers: readonly SnippetServer[],
  given: GivenVariables,
  { command }: Pasted,
  parsed: Parsed,
): void {
  const usage = (what: string, why: string) => new McpdError('USAGE', { what, why, fix: command });
  if (parsed.value('name') !== undefined && servers.length !== 1)
    throw usage('--name is for one server', `there are ${servers.length} in it`);
  if (parsed.rest.length > 0 || parsed.values('header').length > 0 || parsed.value('transport') !== undefined)
    throw usage('arguments, --header and --transport are not for a snippet', 'it says them itself');
  const known = new Set(
    servers.flatMap(({ way, asked }) => [
      ...asked.map(({ name }) => name),
      ...(way.kind === 'address' ? [] : way.env.keys()),
    ]),
  );
  const unknown = [...given.keys()].find((name) => !known.has(name));
  if (unknown !== undefined)
    throw usage(`no server of it has a variable ${unknown}`, `they have ${[...known].join(', ') || 'none'}`);
}

async function showResult(result: Result, daemon: DaemonClient, parsed: Parsed, context: Context): Promise<void> {
  const { installed, skipped, failed } = result;
  const reach = await reachOf(daemon, context);
  if (parsed.flag('json')) {
    const errors = failed.map(({ name, error }) => ({ name, ...(errorJson(error) as object) }));
    return context.output.json({ installed: installed.map(endJson), skipped, failed: errors, ...reach });
  }
  if (installed.length > 0) printReach(reach, context);
}
