import type { InputSpec, InstallPlan, InstallRequest } from '../../src/api/contract.ts';
import type { DaemonClient } from '../../src/control/client.ts';
import { McpdError } from '../../src/errors.ts';
import { type Snippet, type SnippetServer, snippetValues } from '../../src/install/snippet.ts';
import { shellWord } from '../../src/shell-word.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import { fromCaller, type GivenVariables } from '../environment-flags.ts';
import { errorJson, errorLines } from '../output.ts';
import { showPlan } from '../plan-text.ts';
import { sharingOf } from '../settings-flags.ts';
import { nameOfWay, ownVariables } from './meant.ts';

/** What each server of a pasted configuration would come to. Nobody is asked for anything, and nothing is installed. @returns the exit code */
export async function showSnippetPlans(
  { servers, unread }: Snippet,
  given: GivenVariables,
  parsed: Parsed,
  context: Context,
): Promise<number> {
  const { output } = context;
  const daemon = await context.daemon();
  const plans: Planned[] = [];
  const failed: { name: string; error: McpdError }[] = [];
  const fail = (name: string, error: McpdError) => {
    failed.push({ name, error });
    if (!parsed.flag('json')) for (const line of errorLines(error, output.sayPaint)) output.say(line);
  };
  for (const [at, server] of servers.entries()) {
    if (context.signal.aborted) break;
    const name = parsed.value('name') ?? server.name ?? nameOfWay(server.way);
    const place = `line ${server.line}, column ${server.column}`;
    if (!parsed.flag('json'))
      output.say(`${output.sayPaint.dim(`[${at + 1}/${servers.length}]`)} ${showable(name ?? '(no name)')}, ${place}`);
    try {
      const plan = await planOf(server, name, { given, daemon, parsed, context });
      plans.push({ ...plan, isDisabled: server.disabled });
      if (parsed.flag('json')) continue;
      showPlan(plan, context);
      if (server.disabled) output.say('It is switched off there: an install leaves it out, or asks.');
    } catch (error) {
      if (!(error instanceof McpdError)) throw error;
      fail(name ?? '', error);
    }
  }
  for (const { name, error } of unread) fail(name, error);
  if (parsed.flag('json'))
    output.json({ plans, failed: failed.map(({ name, error }) => ({ name, ...(errorJson(error) as object) })) });
  else output.say('Nothing was installed.');
  return failed[0]?.error.exitCode ?? 0;
}

// — internal —

/** `isDisabled`: switched off in the configuration. */
type Planned = InstallPlan & { isDisabled: boolean };

interface Work {
  given: GivenVariables;
  daemon: DaemonClient;
  parsed: Parsed;
  context: Context;
}

async function planOf(server: SnippetServer, name: string | undefined, work: Work): Promise<InstallPlan> {
  const { daemon, parsed, context } = work;
  const { way } = server;
  const { answers, missing } = answersFor(server, work);
  const { args, env, headers } = snippetValues(way, answers);
  for (const [key, value] of ownVariables(server, work.given, context))
    env[key] = { value, secret: env[key]?.secret ?? true };
  const common = {
    ...(name === undefined ? {} : { name }),
    ...sharingOf(parsed),
    ...(parsed.flag('allow-scripts') ? { allowScripts: true } : {}),
    cwd: context.cwd,
  };
  if (way.kind === 'command') {
    if (name === undefined)
      throw new McpdError('USAGE', { what: 'that server has no name', fix: 'give it one: --name NAME' });
    return {
      ...{
        name,
        description: '',
        fetch: null,
        fileSha256: null,
        integrity: null,
        versionIs: 'none',
        publisher: null,
        published: null,
        choice: null,
      },
      commandLine: [way.command, ...args].map(shellWord).join(' '),
      ...{ variables: Object.keys(env), inputs: missing, warnings: server.warnings },
    };
  }
  const request: InstallRequest =
    way.kind === 'package'
      ? { ...common, spec: way.spec, args, env }
      : { ...common, spec: way.url, transport: way.transport, headers };
  const plan = await daemon.request<InstallPlan>('POST', '/api/plans?exact=1', request);
  return { ...plan, inputs: [...missing, ...plan.inputs], warnings: [...server.warnings, ...plan.warnings] };
}

/** From `--env`, from the caller's environment where that is meant, or the default; a placeholder stands for what a person would be asked. */
function answersFor(
  { asked }: SnippetServer,
  { given, context }: Work,
): { answers: Map<string, string>; missing: InputSpec[] } {
  const flags = fromCaller(given, context.env);
  const answers = new Map<string, string>();
  const missing: InputSpec[] = [];
  for (const { name, environment, description, required, secret, default: preset, choices } of asked) {
    const value = flags.get(name) ?? (environment ? context.env[name] : undefined) ?? preset;
    if (value === null && required) missing.push({ name, description, required, secret, default: preset, choices });
    if (value !== null || required) answers.set(name, value ?? `<${name}>`);
  }
  return { answers, missing };
}
