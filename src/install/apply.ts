import { dirname, isAbsolute, resolve } from 'node:path';
import type { ApplyRequest, ApplyResult, InstallEvent } from '../api/contract.ts';
import type { InstalledPackage, ServerDefinition, ServerSource } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { riskyVariables } from '../risky-variables.ts';
import { isConfidential } from '../secret-shape.ts';
import { declaredAddress, remoteLaunch } from './address.ts';
import { compareDeclared, type Declaration, type DeclaredEntry, readDeclared } from './declared.ts';
import { commandLaunch, definitionOf, installedDefinition, type Registration } from './definition.ts';
import { exportSet } from './export.ts';
import type { GivenValue } from './inputs.ts';
import { checkNothingMissing } from './inputs.ts';
import type { Installs } from './installs.ts';
import type { InstallPorts } from './ports.ts';
import { newSecretUses } from './secret-uses.ts';
import { Steps } from './steps.ts';
import { removeServer } from './uninstall.ts';

/** Makes the registry have what a file declares. Entries fail one by one; their servers stay as they were. */
export async function applyDeclared(
  ports: InstallPorts,
  installs: Installs,
  request: ApplyRequest,
): Promise<ApplyResult> {
  const { path } = request;
  if (!isAbsolute(path)) {
    throw new McpdError('REQUEST_INVALID', {
      what: 'the file must be named by its absolute path',
      why: `it is "${path}"`,
    });
  }
  const file = readDeclared(path, request.text);
  const installed = ports.registry.allServers();
  const exported = exportSet(installed, ports, { lock: false }).mcpServers;
  const locked = exportSet(installed, ports, { lock: true }).mcpServers;
  const diff = compareDeclared(path, file, installed, exported, locked);
  const uses = ({ name, entry }: Declaration, present: DeclaredEntry | null) =>
    newSecretUses(name, entry, present, ports.secrets.names(name), dirname(path));
  const result: ApplyResult = {
    added: [],
    changed: [],
    removed: [],
    unchanged: diff.unchanged,
    failed: diff.failed.map(({ name, error }) => ({ name, error: error.report() })),
    warnings: [...file.warnings],
    secrets: [
      ...diff.add.flatMap((declaration) => uses(declaration, null)),
      ...diff.change.flatMap(({ declaration }) => uses(declaration, exported[declaration.name] ?? null)),
    ],
  };
  if (request.dryRun === true) {
    const names = (declarations: readonly Declaration[]) => declarations.map(({ name }) => name);
    return {
      ...result,
      added: names(diff.add),
      changed: names(diff.change.map(({ declaration }) => declaration)),
      removed: diff.remove,
    };
  }
  const attempt = async (name: string, done: string[], work: () => Promise<void>) => {
    try {
      await work();
      done.push(name);
    } catch (error) {
      if (!(error instanceof McpdError)) throw error;
      result.failed.push({ name, error: error.report() });
    }
  };
  const put = (declaration: Declaration, present: ServerDefinition | null) =>
    declare(ports, installs, path, declaration, present, result.warnings);
  await Promise.all([
    ...diff.remove.map((name) =>
      attempt(name, result.removed, () =>
        installs.names.during(name, null, () => removeServer(ports, name, { purge: false })),
      ),
    ),
    ...diff.add.map((declaration) => attempt(declaration.name, result.added, () => put(declaration, null))),
    ...diff.change.map(({ declaration, present }) =>
      attempt(declaration.name, result.changed, () => put(declaration, present)),
    ),
  ]);
  return result;
}

// — internal —

/** Registers one entry untested. A package it replaces stays until the next sweep: its process may still be at work. @throws McpdError why it cannot be; nothing of it is kept then */
async function declare(
  ports: InstallPorts,
  installs: Installs,
  path: string,
  declaration: Declaration,
  present: ServerDefinition | null,
  warnings: string[],
): Promise<void> {
  const { name } = declaration;
  const taken = (each: string) => ports.registry.server(each) !== null;
  await installs.names.during(name, present === null ? taken : null, async () => {
    const steps = new Steps((event) => warnings.push(...warningsIn(name, event)), ports.ending);
    try {
      await steps.undoing(async () => {
        const registration = await registrationOf(ports, installs, path, declaration, present, steps);
        const { definition, secrets } = registration;
        steps.warn(...registration.warnings, ...riskyVariables(Object.keys(declaration.entry.env ?? {}), path));
        await installs.warnOfCommand(definition, steps);
        await installs.keepSecrets(name, secrets, steps);
        ports.registry.saveServer(definition, null);
        steps.settle();
        ports.announce(definition, null);
      });
    } catch (thrown) {
      throw steps.fail(thrown);
    }
  });
}

async function registrationOf(
  ports: InstallPorts,
  installs: Installs,
  path: string,
  { name, entry, digest }: Declaration,
  present: ServerDefinition | null,
  steps: Steps,
): Promise<Registration> {
  const addedAt = present?.addedAt ?? ports.now();
  const folder = dirname(path);
  const env = new Map<string, GivenValue>(
    Object.entries(entry.env ?? {}).map(([variable, value]) => [
      variable,
      { value, secret: isConfidential(variable, value) },
    ]),
  );
  const source: ServerSource = { kind: 'file', ref: path, digest };
  if (entry.url !== undefined) {
    const { launch, secrets, warnings } = remoteLaunch(declaredAddress(entry, entry.url));
    const definition = definitionOf(name, launch, source, entry, { description: '', integrity: null, addedAt });
    return { definition, secrets, warnings };
  }
  if (entry.install === undefined) {
    const { launch, secrets } = commandLaunch(commandParts(entry, folder), env);
    const definition = definitionOf(name, launch, source, entry, { description: '', integrity: null, addedAt });
    return { definition, secrets, warnings: [] };
  }
  const { install: spec, args = [], sharing } = entry;
  const request = { spec, name, args, env: Object.fromEntries(env), cwd: folder, sharing };
  const plan = await installs.planFor(request, steps.signal, undefined, entry.package);
  if (plan.origin.kind === 'folder') {
    throw new McpdError('SPEC_INVALID', {
      what: `${name} cannot be installed from a folder by a file`,
      fix: 'name its command: "command" and "args"',
    });
  }
  checkNothingMissing(name, entry.install, plan.missing);
  const fetched = await installs.fetchFor(plan, {}, steps).catch((error: unknown) => {
    throw error instanceof McpdError && error.code === 'PACKAGE_NEEDS_SCRIPTS'
      ? scriptsByHand(name, spec, error)
      : error;
  });
  checkIntegrity(name, entry, path, fetched?.installed ?? null);
  const plain = installedDefinition(plan, fetched, addedAt);
  const installed = { ...source, install: entry.install };
  const withPackage: ServerSource = fetched === null ? installed : { ...installed, package: fetched.installed };
  const facts = { description: plain.description, integrity: fetched?.installed.integrity ?? null, addedAt };
  const definition = definitionOf(name, plain.launch, withPackage, { ...entry, sharing: plain.sharing }, facts);
  return { definition, secrets: plan.secrets, warnings: plan.warnings };
}

/** A file allows no scripts: whoever gets it would run them unasked. What is installed by hand as the file has it stays. */
function scriptsByHand(name: string, spec: string, { code, parts }: McpdError): McpdError {
  const fix = `if you trust it: mcpd install ${spec} --name ${name} --allow-scripts, with what the file gives it`;
  return new McpdError(code, { ...parts, fix });
}

/** Of a package with several files any machine has some: each of them must be among those of the file. @throws McpdError INTEGRITY_MISMATCH */
function checkIntegrity(name: string, entry: DeclaredEntry, path: string, installed: InstalledPackage | null): void {
  const wanted = entry.package?.integrity;
  if (wanted === undefined) return;
  const known = new Set(wanted.split(/\s+/));
  const found = installed?.integrity.split(/\s+/).filter((hash) => hash !== '') ?? [];
  if (found.length > 0 && found.every((hash) => known.has(hash))) return;
  const [other = null] = found.filter((hash) => !known.has(hash));
  throw new McpdError('INTEGRITY_MISMATCH', {
    what: `${entry.install} is not what ${path} says, and ${name} was not installed`,
    why:
      other === null
        ? `its integrity must be ${wanted.slice(0, INTEGRITY_SHOWN)}, and what fetched it tells none`
        : `its integrity is ${other.slice(0, INTEGRITY_SHOWN)}, and must be ${wanted.slice(0, INTEGRITY_SHOWN)}`,
    fix: 'find out from its publisher why it was replaced; then write the file anew: mcpd export --lock',
  });
}

/** One sha512 as npm writes it. */
const INTEGRITY_SHOWN = 96;

/** Without a folder of its own a command runs where the file lies: what is kept in a repository names files of it. */
function commandParts(entry: DeclaredEntry, folder: string) {
  return { command: entry.command ?? '', args: entry.args ?? [], cwd: resolve(folder, entry.cwd ?? '.'), folder };
}

function warningsIn(name: string, event: InstallEvent): string[] {
  return event.type === 'warning' ? [`${name}: ${event.text}`] : [];
}
