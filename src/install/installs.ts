import type { AddRequest, AddressRequest, InstallEvent, InstallPlan, InstallRequest } from '../api/contract.ts';
import type { Launch, ServerDefinition, ServerMemory } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { addressDefinition, remoteRequest, untestedAddress } from './address.ts';
import { judgeTrial } from './checkup.ts';
import { checkCommand } from './command-check.ts';
import { commandLineOf, launchText, untestedCommand } from './command-line.ts';
import { addedDefinition, described, installedDefinition } from './definition.ts';
import { fetchPlanned, viewOf } from './fetching.ts';
import { checkNothingMissing } from './inputs.ts';
import { originOf, readFrom } from './lookup.ts';
import { NamesInUse } from './names-in-use.ts';
import { type DeclaredPackage, withAsked } from './origins.ts';
import type { FetchedPackage } from './packages/source.ts';
import { type PlanContext, type PlannedInstall, planInstall } from './plan.ts';
import type { InstallPorts } from './ports.ts';
import { parseSpec, specText } from './spec.ts';
import { Steps } from './steps.ts';
import { exists, removeEmpty } from './traces.ts';
import { type TrialContext, trialError } from './trial-failure.ts';

/** Installs servers: resolve → fetch → trial → one transaction → announce. A step that fails undoes all before it. */
export class Installs {
  readonly names = new NamesInUse();
  readonly #ports: InstallPorts;

  constructor(ports: InstallPorts) {
    this.#ports = ports;
  }

  /** What an install would do and still needs. @throws McpdError for a spec, name or input that will not do; with `exact` as a fetch */
  async plan(request: InstallRequest, exact: boolean): Promise<InstallPlan> {
    const remote = remoteRequest(request);
    if (remote !== null) return this.#planRemote(remote);
    const plan = await this.planFor(request, this.#ports.ending);
    return this.names.during(plan.name, this.#taken, () => viewOf(this.#ports, plan, exact));
  }

  /** Reports `done` or `failed` as the last event, and resolves. */
  async install(request: InstallRequest, report: (event: InstallEvent) => void, signal: AbortSignal): Promise<void> {
    const remote = remoteRequest(request);
    if (remote !== null) return this.add(remote, report, signal);
    await this.#course(report, signal, async (steps, startedAt) => {
      steps.begin('resolve', request.spec);
      const plan = await this.planFor(request, steps.signal, (detail) => steps.detail(detail));
      steps.warn(...plan.warnings);
      const spec = specText(parseSpec(request.spec));
      const chosen = request.package === undefined ? '' : ` --package ${request.package}`;
      await this.#reserved(plan.name, steps, async () => {
        checkNothingMissing(plan.name, spec, plan.missing);
        const fetched = await this.fetchFor(plan, request, steps);
        const definition = installedDefinition(plan, fetched, this.#ports.now());
        if (plan.origin.kind === 'folder') await this.checkCommand(definition);
        const memory = await this.#tried(definition, plan.secrets, steps, {
          name: plan.name,
          scriptsLeftOut: fetched?.scriptsLeftOut ?? [],
          withScripts: `mcpd install ${spec}${chosen} --allow-scripts`,
          fix: afterTrial(plan, definition.launch),
        });
        this.#register(definition, memory, steps, report, startedAt);
      });
    });
  }

  /** As `install`, for a command line or an address; without a trial a command that is not there is a warning. */
  async add(request: AddRequest, report: (event: InstallEvent) => void, signal: AbortSignal): Promise<void> {
    await this.#course(report, signal, async (steps, startedAt) => {
      steps.begin('resolve', 'url' in request ? request.url : commandLineOf(request));
      const now = this.#ports.now();
      const { definition, secrets, warnings } =
        'url' in request ? addressDefinition(request, now) : addedDefinition(request, now);
      steps.warn(...warnings);
      const { name } = definition;
      await this.#reserved(name, steps, async () => {
        if (request.trial) await this.checkCommand(definition);
        else await this.warnOfCommand(definition, steps);
        if (!request.trial) await this.keepSecrets(name, secrets, steps);
        const fix = 'url' in request ? untestedAddress(name, request) : untestedCommand(name, request);
        const context = { name, scriptsLeftOut: [], withScripts: '', fix };
        const memory = request.trial ? await this.#tried(definition, secrets, steps, context) : null;
        this.#register(definition, memory, steps, report, startedAt);
      });
    });
  }

  async #planRemote(request: AddressRequest): Promise<InstallPlan> {
    const { definition, warnings } = addressDefinition(request, this.#ports.now());
    const { name, launch } = definition;
    await this.names.during(name, this.#taken, async () => undefined);
    const nothing = {
      fetch: null,
      fileSha256: null,
      integrity: null,
      versionIs: 'none',
      publisher: null,
      published: null,
      choice: null,
    } as const;
    const shown = { ...nothing, variables: [], inputs: [], commandLine: launchText(launch), warnings };
    return { name, description: '', ...shown };
  }

  /** The spec looked up and planned; nothing is fetched. `asked` is what a declared file says of its package. */
  async planFor(
    request: InstallRequest,
    signal: AbortSignal,
    report: (detail: string) => void = () => undefined,
    asked: DeclaredPackage = {},
  ): Promise<PlannedInstall> {
    const found = await originOf(parseSpec(request.spec), request.package ?? null, this.#ports, signal);
    const origin = withAsked(found, asked);
    return planInstall(request, await readFrom(this.#ports, origin, signal, report), this.#context(request));
  }

  /** Null where nothing has to be fetched. What it makes is undone with the steps. */
  async fetchFor(
    plan: PlannedInstall,
    options: { allowScripts?: boolean | undefined },
    steps: Steps,
  ): Promise<FetchedPackage | null> {
    return plan.fetch === null ? null : fetchPlanned(this.#ports, plan, plan.fetch, options, steps);
  }

  /** @throws McpdError COMMAND_NOT_FOUND, COMMAND_NOT_EXECUTABLE */
  checkCommand(definition: ServerDefinition): Promise<void> {
    const commands = { find: this.#ports.findCommand, userHome: this.#ports.userHome };
    return checkCommand(definition, commands);
  }

  /** What is registered untested may be repaired later; the person is told now. */
  async warnOfCommand(definition: ServerDefinition, steps: Steps): Promise<void> {
    try {
      await this.checkCommand(definition);
    } catch (error) {
      if (!(error instanceof McpdError)) throw error;
      steps.warn(`${error.message}; it is registered all the same`);
    }
  }

  /** A server that is registered keeps its other secrets, and these in any case: its new definition may be saved at the next try. */
  async keepSecrets(name: string, secrets: ReadonlyMap<string, string>, steps: Steps): Promise<void> {
    if (secrets.size === 0) return;
    const isNew = !this.#taken(name);
    // Left by an install in whose middle the daemon was killed.
    if (isNew) await this.#ports.secrets.remove(name);
    await this.#ports.secrets.set(name, secrets);
    if (isNew) steps.onUndo('the secrets', () => this.#ports.secrets.remove(name));
  }

  // — internal —

  readonly #taken = (name: string): boolean => this.#ports.registry.server(name) !== null;

  async #course(
    report: (event: InstallEvent) => void,
    signal: AbortSignal,
    work: (steps: Steps, startedAt: number) => Promise<void>,
  ): Promise<void> {
    const steps = new Steps(report, AbortSignal.any([signal, this.#ports.ending]));
    try {
      await work(steps, performance.now());
    } catch (thrown) {
      steps.fail(thrown); // it told the caller why, as the last event
    }
  }

  /** The name is free again only when everything is done or undone. */
  #reserved(name: string, steps: Steps, work: () => Promise<void>): Promise<void> {
    return this.names.during(name, this.#taken, () => steps.undoing(work));
  }

  #context(request: InstallRequest): PlanContext {
    return { place: { cwd: request.cwd ?? null, userHome: this.#ports.userHome } };
  }

  /** Null for a server that wants a login first. @throws McpdError why it cannot be used */
  async #tried(
    definition: ServerDefinition,
    secrets: ReadonlyMap<string, string>,
    steps: Steps,
    context: TrialContext,
  ): Promise<ServerMemory | null> {
    const { paths, trial, dropLog, loginWanted } = this.#ports;
    const { name } = definition;
    steps.begin('trial', launchText(definition.launch));
    await this.keepSecrets(name, secrets, steps);
    if (!(await exists(paths.dataOf(name)))) steps.onUndo('the data folder', () => removeEmpty(paths.dataOf(name)));
    if (!(await exists(paths.logOf(name)))) steps.onUndo('the log', () => dropLog(name));
    const outcome = await trial(definition, steps.signal);
    if (outcome.ok) {
      steps.warn(...outcome.findings);
      return outcome.memory;
    }
    const wanted = loginWanted(definition);
    if (wanted !== null) {
      steps.warn(`it lets nobody in before a login (${wanted}): mcpd auth ${name}`);
      return null;
    }
    steps.stderrTail = outcome.exit?.stderrTail ?? [];
    throw trialError(outcome, context);
  }

  #register(
    plain: ServerDefinition,
    memory: ServerMemory | null,
    steps: Steps,
    report: (event: InstallEvent) => void,
    startedAt: number,
  ): void {
    const { registry, announce, present } = this.#ports;
    steps.begin('register', plain.name);
    const definition = memory === null ? plain : described(plain, memory);
    registry.saveServer(definition, memory);
    steps.settle();
    announce(definition, memory);
    const checkup = memory === null ? null : judgeTrial(memory);
    const durationMs = Math.round(performance.now() - startedAt);
    report({ type: 'done', ...present(definition.name), durationMs, checkup });
  }
}

/** What to try when a first start has failed. */
function afterTrial({ fetch, remote }: PlannedInstall, launch: Launch): string {
  if (remote !== null)
    return `see that this machine reaches ${new URL(remote.url).host}, and check the values given with --env`;
  if (fetch === null) return `run it in a terminal: ${launchText(launch)}`;
  return 'check the values given with --env and the arguments after --';
}
