import { searchCatalog } from '../../registry/catalog.ts';
import type {
  AddRequest,
  ApplyRequest,
  ApplyResult,
  CatalogHit,
  DeclaredSet,
  InstallEvent,
  InstallPlan,
  InstallRequest,
} from '../api/contract.ts';
import { applyDeclared } from './apply.ts';
import { catalogHits } from './catalog-hits.ts';
import { exportSet } from './export.ts';
import { Installs } from './install.ts';
import type { InstallPorts } from './ports.ts';
import { checkNotDeclared, removeServer, sweepPackages } from './uninstall.ts';

/** Everything that puts servers into the registry or takes them out. */
export interface Installer {
  /** What an install would do and still needs. @throws McpdError for a spec, a name or an input that will not do */
  plan(request: InstallRequest): Promise<InstallPlan>;
  /** Reports `done` or `failed` as the last event and then resolves; `signal` undoes what was done. */
  install(request: InstallRequest, report: (event: InstallEvent) => void, signal: AbortSignal): Promise<void>;
  add(request: AddRequest, report: (event: InstallEvent) => void, signal: AbortSignal): Promise<void>;
  /** @throws McpdError SERVER_UNKNOWN, MANAGED_BY_FILE */
  uninstall(name: string, options: { purge: boolean }): Promise<void>;
  catalog(query: string): CatalogHit[];
  /** @throws McpdError CONFIG_INVALID for a file that is no whole; entries fail one by one, in the result */
  apply(request: ApplyRequest): Promise<ApplyResult>;
  exportSet(): DeclaredSet;
  /** Removes what killed installs left. Not while an install is under way. */
  sweep(): Promise<void>;
}

export function createInstaller(ports: InstallPorts): Installer {
  const installs = new Installs(ports);
  const { registry, paths } = ports;
  /** Two runs over one file would both see what is missing, and one would fail. */
  let lastApply: Promise<unknown> = Promise.resolve();
  return {
    plan: (request) => installs.plan(request),
    install: (request, report, signal) => installs.install(request, report, signal),
    add: (request, report, signal) => installs.add(request, report, signal),
    uninstall: (name, options) =>
      installs.names.during(name, null, async () => {
        await checkNotDeclared(registry.server(name));
        await removeServer(ports, name, options);
      }),
    catalog: (query) => catalogHits(searchCatalog(query, ports.catalog()), registry.allServers()),
    apply: (request) => {
      const apply = lastApply.then(() => applyDeclared(ports, installs, request));
      lastApply = apply.catch(() => undefined); // told to whoever asked; the next one begins anew
      return apply;
    },
    exportSet: () => exportSet(registry.allServers(), paths),
    sweep: () => sweepPackages(ports),
  };
}
