import { rm } from 'node:fs/promises';
import { fingerprintOf } from '../../registry/fingerprint.ts';
import type { KeptVersion } from '../../registry/kept-versions.ts';
import type { NextVersion, UpdateEvent, UpdateOffer, UpdateRequest, VersionChange } from '../api/contract/updates.ts';
import type { InstalledPackage, ServerDefinition, ServerMemory } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { UPDATE_AGREE_MS } from '../operation-limits.ts';
import { unknownServer } from '../unknown-server.ts';
import { launchText } from './command-line.ts';
import { fetchedAnew } from './fetching-anew.ts';
import type { NamesInUse } from './names-in-use.ts';
import type { InstallPorts } from './ports.ts';
import { packageText } from './spec.ts';
import { Steps } from './steps.ts';
import { exists } from './traces.ts';
import { trialError } from './trial-failure.ts';
import { checkNotDeclared } from './uninstall.ts';
import { notAsShown, otherBundle } from './update-faults.ts';
import { offerOf, told } from './update-offer.ts';
import {
  integrityTold,
  isAsShown,
  isSame,
  packageOf,
  publishedIfAsked,
  publishedNow,
  rangeNamed,
  rangeOf,
  rangeShown,
  sourceAt,
  toldApart,
  withoutPackage,
} from './versions.ts';

/**
 * Other versions of installed servers: fetch beside the old one → trial → offer; and after a yes one transaction, which keeps the old one.
 * Killed before that, the old version is what is installed, and the next sweep removes the new one; killed after it, the new one is.
 */
export class Updates {
  readonly #ports: InstallPorts;
  readonly #names: NamesInUse;
  /** What waits for a yes, by server: the newest offer alone. */
  readonly #offered = new Map<string, Offered>();

  constructor(ports: InstallPorts, names: NamesInUse) {
    this.#ports = ports;
    this.#names = names;
  }

  /** Reports `offer`, `current` or `failed` as the last event, and resolves. */
  async offer(
    name: string,
    request: UpdateRequest,
    report: (event: UpdateEvent) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const steps = new Steps((event) => told(event, report), AbortSignal.any([signal, this.#ports.ending]));
    try {
      steps.begin('resolve', name);
      const { definition, pack } = this.#updatable(name, request.to);
      await checkNotDeclared(definition);
      await this.#names.during(name, null, () =>
        steps.undoing(async () => report(await this.#offer(definition, pack, request, steps))),
      );
    } catch (thrown) {
      steps.fail(thrown); // it told the caller why, as the last event
    }
  }

  /** To what an update would go, or whether it can go to what was shown; nothing is fetched. @throws McpdError as an offer does, and as the source of the package */
  async nextVersion(name: string, shown: string | null): Promise<NextVersion> {
    const { definition, pack } = this.#updatable(name, undefined);
    await checkNotDeclared(definition);
    const range = shown === null ? rangeOf(definition) : rangeShown(pack, shown);
    const published = await publishedNow(this.#ports, definition, range);
    return {
      package: packageText(pack.kind, pack.identifier, published.version),
      ...toldApart(pack, published),
      integrity: integrityTold(pack, published),
    };
  }

  /** What waits for a yes. @throws McpdError SERVER_UNKNOWN */
  offered(name: string): UpdateOffer | null {
    const { fingerprint } = this.#known(name);
    const offered = this.#offered.get(name);
    return offered?.base === fingerprint ? offered.offer : null;
  }

  /** @throws McpdError UPDATE_CHANGED when that is not what was shown, or not any more */
  agree(name: string, agreement: string): Promise<VersionChange> {
    return this.#names.during(name, null, async () => {
      const offered = this.#offered.get(name);
      const present = this.#ports.registry.server(name);
      if (offered === undefined || offered.offer.agreement !== agreement || present?.fingerprint !== offered.base) {
        throw new McpdError('UPDATE_CHANGED', {
          what: `${name} was not updated`,
          why: 'what was shown is not what would be done now: it was changed meanwhile, or the yes came too late',
          fix: `mcpd update ${name}`,
        });
      }
      this.#offered.delete(name);
      clearTimeout(offered.timer);
      const { from, to } = offered.offer;
      return this.#replace(present, offered.definition, offered.memory, { from, to });
    });
  }

  /** To the version that was replaced last; the present one is kept in its place. @throws McpdError NOTHING_KEPT, SERVER_UNKNOWN, MANAGED_BY_FILE */
  rollback(name: string): Promise<VersionChange> {
    return this.#names.during(name, null, async () => {
      const { registry, paths } = this.#ports;
      const present = this.#known(name);
      await checkNotDeclared(present);
      const kept = registry.kept.of(name);
      const [from = null, to] = [present, kept?.definition].map((one) => (one === undefined ? null : packageOf(one)));
      if (kept === null || to == null || !(await this.#isThere(kept.definition))) {
        throw new McpdError('NOTHING_KEPT', {
          what: `there is no earlier version of ${name}`,
          why:
            kept === null
              ? 'a replaced version is kept until the new one has answered calls for a day'
              : `its folder in ${paths.packageOf(name)} is gone`,
          fix: `mcpd update ${name} --to VERSION`,
        });
      }
      return this.#replace(
        present,
        kept.definition,
        kept.memory,
        from === null ? { from: '', to: to.version } : toldApart(from, to),
      );
    });
  }

  /** @throws McpdError SERVER_UNKNOWN, INPUT_INVALID */
  pin(name: string, on: boolean): void {
    const definition = this.#known(name);
    if (packageOf(definition) === null) throw withoutPackage(name);
    this.#ports.registry.kept.pin(name, on);
  }

  // — internal —

  async #offer(
    definition: ServerDefinition,
    pack: InstalledPackage,
    request: UpdateRequest,
    steps: Steps,
  ): Promise<UpdateEvent> {
    const { name, launch } = definition;
    const { registry, trialAside } = this.#ports;
    await this.#forget(name);
    const { exactly, to } = request;
    const named = to === undefined ? rangeOf(definition) : rangeNamed(pack, to);
    const range = exactly === undefined ? named : rangeShown(pack, exactly);
    const published = await publishedIfAsked(this.#ports, definition, pack, range);
    const version = published?.version ?? range;
    if (published !== null && isSame(pack, published)) return { type: 'current', version };
    if (published !== null && !isAsShown(pack, request, published)) throw notAsShown(name, exactly);
    if (pack.kind === 'mcpb' && to !== undefined && to !== version) throw otherBundle(name, pack, to, version);
    if (launch.kind === 'http') throw withoutPackage(name);
    const { installed, root, fresh, scriptsLeftOut } = await fetchedAnew(
      this.#ports,
      { name, launch, pack },
      { version, allowScripts: request.allowScripts === true },
      steps,
    );
    // A tag or a file may have changed since it was asked for.
    const shown = { exactly, integrity: request.integrity ?? published?.integrity };
    if (!isAsShown(pack, shown, installed)) throw notAsShown(name, exactly);
    if (published === null && isSame(pack, installed)) return { type: 'current', version };
    const updated: ServerDefinition = {
      ...definition,
      launch: fresh,
      source: sourceAt(definition.source, installed, request.to),
      fingerprint: fingerprintOf(fresh, installed.integrity),
    };
    steps.begin('trial', launchText(fresh));
    const outcome = await trialAside(updated, steps.signal);
    if (!outcome.ok) {
      steps.stderrTail = outcome.exit?.stderrTail ?? [];
      const withScripts = `mcpd update ${name} --allow-scripts`;
      const fix = `${name} stays at ${pack.version}; another version: mcpd update ${name} --to VERSION`;
      throw trialError(outcome, { name, scriptsLeftOut, withScripts, fix });
    }
    steps.warn(...outcome.findings);
    if (steps.signal.aborted) throw steps.signal.reason;
    const offer = offerOf(
      definition,
      pack,
      updated,
      installed,
      registry.memoryOf(name, definition.fingerprint),
      outcome.memory,
    );
    const timer = setTimeout(() => void this.#forget(name), UPDATE_AGREE_MS).unref();
    this.#offered.set(name, {
      offer,
      definition: updated,
      memory: outcome.memory,
      base: definition.fingerprint,
      root,
      timer,
    });
    return { type: 'offer', offer };
  }

  /** One transaction; hosts see the new lists at once, and calls that are under way end in the old process. */
  #replace(
    present: ServerDefinition,
    next: ServerDefinition,
    memory: ServerMemory | null,
    { from, to }: { from: string; to: string },
  ): VersionChange {
    const { registry, now, announce } = this.#ports;
    const kept: KeptVersion = {
      definition: present,
      memory: registry.memoryOf(present.name, present.fingerprint),
      replacedAt: now(),
      provedAt: null,
    };
    // Settings are a person's, and not of a version.
    const { start, sharing, enabled, limits, addedAt } = present;
    const definition = { ...next, start, sharing, enabled, limits, addedAt };
    registry.replaceServer(definition, memory, kept);
    announce(definition, memory);
    return { server: this.#ports.present(present.name).server, from, to };
  }

  /** Nobody said yes to it in time, or there is a newer one. */
  async #forget(name: string): Promise<void> {
    const offered = this.#offered.get(name);
    if (offered === undefined) return;
    this.#offered.delete(name);
    clearTimeout(offered.timer);
    await rm(offered.root, { recursive: true, force: true }).catch(() => undefined); // the next sweep removes it
  }

  #known(name: string): ServerDefinition {
    const { registry } = this.#ports;
    const definition = registry.server(name);
    if (definition !== null) return definition;
    throw unknownServer(
      name,
      registry.allServers().map((server) => server.name),
    );
  }

  #updatable(name: string, to: string | undefined): { definition: ServerDefinition; pack: InstalledPackage } {
    const definition = this.#known(name);
    const pack = packageOf(definition);
    if (pack === null) throw withoutPackage(name);
    if (to === undefined && this.#ports.registry.kept.pins().has(name)) {
      throw new McpdError('SERVER_PINNED', {
        what: `${name} is held at ${pack.version}`,
        fix: `mcpd pin ${name} --off, or name a version: mcpd update ${name} --to VERSION`,
      });
    }
    return { definition, pack };
  }

  /** Whether what the launch names in the folder of versions is still there. */
  async #isThere({ name, launch }: ServerDefinition): Promise<boolean> {
    if (launch.kind === 'http') return false;
    const folder = this.#ports.paths.packageOf(name);
    const inside = [launch.command, ...launch.args].filter((word) => word.startsWith(folder));
    return (await Promise.all(inside.map(exists))).every((there) => there);
  }
}

// — internal —

interface Offered {
  offer: UpdateOffer;
  definition: ServerDefinition;
  memory: ServerMemory;
  /** Fingerprint of what it would replace. */
  base: string;
  /** The folder of the new version. */
  root: string;
  timer: NodeJS.Timeout;
}
