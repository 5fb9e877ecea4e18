import { isAbsolute, resolve } from 'node:path';
import { fingerprintOf } from '../../registry/fingerprint.ts';
import type { CommandRequest } from '../api/contract.ts';
import type {
  InstalledPackage,
  Launch,
  ServerDefinition,
  ServerLimits,
  ServerMemory,
  ServerSource,
  Sharing,
  StartMode,
  StdioLaunch,
} from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { hasReference, secretReference } from '../secret-references.ts';
import { folderIn } from './bundle/places.ts';
import { commandLineOf } from './command-line.ts';
import type { GivenValue } from './inputs.ts';
import { nameOf, oneLine } from './naming.ts';
import type { FetchedPackage } from './packages/source.ts';
import type { PlannedInstall } from './plan.ts';
import { checkNoNul, checkVariableName } from './variables.ts';

/** From what was planned or asked to the definition that the registry keeps. Pure. */

export interface Settings {
  start?: StartMode | undefined;
  sharing?: Sharing | undefined;
  enabled?: boolean | undefined;
  limits?: { [K in keyof ServerLimits]?: ServerLimits[K] | undefined } | undefined;
}

/** A definition, and the values that its launch refers to. */
export interface Registration {
  definition: ServerDefinition;
  secrets: Map<string, string>;
  warnings: string[];
}

/** `fetched` is null exactly when the plan knows the program itself. */
export function installedDefinition(
  plan: PlannedInstall,
  fetched: FetchedPackage | null,
  addedAt: number,
): ServerDefinition {
  const installed = fetched?.installed ?? null;
  const facts = {
    description: plan.description === '' ? oneLine(fetched?.description ?? '') : plan.description,
    integrity: installed?.integrity ?? null,
    addedAt,
  };
  const launch = plan.remote ?? launchOf(plan, fetched);
  return definitionOf(plan.name, launch, sourceOf(plan, installed), { sharing: plan.sharing }, facts);
}

/** @throws McpdError NAME_INVALID, INPUT_INVALID, REQUEST_INVALID */
export function addedDefinition(request: CommandRequest, addedAt: number): Registration {
  const { name, warnings } = nameOf(request.name, request.name);
  if (!isAbsolute(request.cwd)) {
    throw new McpdError('REQUEST_INVALID', {
      what: 'the working folder must be an absolute path',
      why: `it is "${request.cwd}"`,
    });
  }
  const { launch, secrets } = commandLaunch({ ...request, folder: request.cwd }, new Map(Object.entries(request.env)));
  const source: ServerSource = { kind: 'command', ref: commandLineOf(request) };
  const facts = { description: '', integrity: null, addedAt };
  return { definition: definitionOf(name, launch, source, request, facts), secrets, warnings };
}

export interface CommandParts {
  command: string;
  args: readonly string[];
  cwd: string | null;
  /** Where a relative command is meant from. */
  folder: string;
}

/**
 * The launch of a command as written: a path becomes absolute, a bare name stays one and is looked up at each start.
 * @throws McpdError INPUT_INVALID
 */
export function commandLaunch(
  parts: CommandParts,
  env: ReadonlyMap<string, GivenValue>,
): { launch: StdioLaunch; secrets: Map<string, string> } {
  for (const text of [parts.command, ...parts.args, parts.cwd ?? '']) checkNoNul(text, 'the command line');
  const secrets = new Map<string, string>();
  const variables = [...env].map(([name, { value, secret }]): [string, string] => {
    checkVariableName(name);
    checkNoNul(value, `the value of ${name}`);
    if (!secret || hasReference(value)) return [name, value];
    secrets.set(name, value);
    return [name, secretReference(name)];
  });
  const command = /[/\\]/.test(parts.command) ? resolve(parts.folder, parts.command) : parts.command;
  const filled = Object.fromEntries(variables);
  return { launch: { kind: 'stdio', command, args: [...parts.args], cwd: parts.cwd, env: filled }, secrets };
}

export function definitionOf(
  name: string,
  launch: Launch,
  source: ServerSource,
  settings: Settings,
  facts: { description: string; integrity: string | null; addedAt: number },
): ServerDefinition {
  return {
    name,
    description: facts.description,
    launch,
    start: settings.start ?? 'on-demand',
    sharing: settings.sharing ?? 'auto',
    enabled: settings.enabled ?? true,
    limits: limitsOf(settings.limits),
    source,
    fingerprint: fingerprintOf(launch, facts.integrity),
    addedAt: facts.addedAt,
  };
}

/** A definition without a description takes the one that the server gives of itself. */
export function described(definition: ServerDefinition, memory: ServerMemory): ServerDefinition {
  if (definition.description !== '') return definition;
  const text = ownWords(memory.serverInfo);
  return text === null ? definition : { ...definition, description: oneLine(text) };
}

// — internal —

function launchOf(plan: PlannedInstall, fetched: FetchedPackage | null): StdioLaunch {
  const program = fetched?.runnable ?? plan.program;
  if (program === null) throw new RangeError('a plan without a program needs a fetched package');
  const folder = fetched?.folder ?? null;
  const inFolder = (text: string) => (folder === null ? text : folderIn(text, folder));
  return {
    kind: 'stdio',
    command: program.command,
    args: [...program.args, ...plan.args].map(inFolder),
    cwd: folder ?? plan.cwd,
    env: Object.fromEntries(Object.entries(plan.env).map(([name, text]) => [name, inFolder(text)])),
  };
}

function sourceOf({ origin }: PlannedInstall, installed: InstalledPackage | null): ServerSource {
  if (origin.kind === 'folder') return { kind: 'folder', ref: origin.folder.path };
  const { kind, ref } = origin.found;
  if (kind === 'catalog' || kind === 'registry' || kind === 'document') return { kind, ref, package: installed };
  if (installed === null) throw new RangeError('a package that was named is fetched');
  return { kind, ref, package: installed };
}

function limitsOf(given: Settings['limits']): ServerLimits {
  return {
    startTimeoutMs: given?.startTimeoutMs ?? null,
    callTimeoutMs: given?.callTimeoutMs ?? null,
    idleStopMs: given?.idleStopMs ?? null,
    lineBytesMax: given?.lineBytesMax ?? null,
    memorySoftBytes: given?.memorySoftBytes ?? null,
    memoryHardBytes: given?.memoryHardBytes ?? null,
  };
}

/** From a server's raw `serverInfo`; null when it says nothing of itself. */
function ownWords(serverInfo: string): string | null {
  let info: unknown;
  try {
    info = JSON.parse(serverInfo);
  } catch {
    return null; // what a server says of itself fails nothing
  }
  const { description, title, name } = (info ?? {}) as Record<string, unknown>;
  const text = [description, title, name].find((each) => typeof each === 'string' && each.trim() !== '');
  return typeof text === 'string' ? text : null;
}
