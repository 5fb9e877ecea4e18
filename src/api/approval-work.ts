import { fromReport, McpdError } from '../errors.ts';
import { describedApply } from './approval-apply.ts';
import { usedSecret } from './approval-secret.ts';
import { checkStillShown } from './approval-shown.ts';
import { describedRollback, type ShownTry } from './approval-update.ts';
import type { ApprovalInfo, ApprovalRequest, WorkEvent } from './contract/approvals.ts';
import type { UpdateEvent } from './contract/updates.ts';
import type { InstallEvent } from './contract.ts';
import type { DaemonControl } from './daemon-control.ts';

/** As it was asked for, with what was shown of it besides. */
export type ShownRequest = Exclude<ApprovalRequest, { action: 'try-update' }> | ShownTry;

/** What a person said yes to, done; `shown` is what he was shown of it. @throws {McpdError} why it could not be done */
export async function carriedOut(
  control: DaemonControl,
  request: ShownRequest,
  shown: ApprovalInfo['details'],
  report: (event: WorkEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  switch (request.action) {
    case 'install':
      return installed((told) => control.install(request.install, told, signal), report);
    case 'add':
      return installed((told) => control.add(request.add, told, signal), report);
    case 'try-update':
      return tried(control, request, report, signal);
    case 'update':
      await (await control.life()).update(request.server, request.agreement);
      return;
    case 'rollback':
      // What is kept may have been swept or replaced since.
      checkStillShown(await describedRollback(control, request), shown, `going back with ${request.server}`);
      await (await control.life()).rollback(request.server);
      return;
    case 'uninstall':
      return control.uninstall(request.server, { purge: request.purge === true });
    case 'apply': {
      checkStillShown(await describedApply(control, request), shown, `applying ${request.apply.path}`);
      const { failed } = await control.apply(request.apply);
      const [first] = failed;
      if (first === undefined) return;
      throw new McpdError(fromReport(first.error).code, {
        ...first.error,
        what: `${failed.map(({ name }) => name).join(', ')} could not be applied: ${first.error.what}`,
      });
    }
    case 'set-secret':
      // The server may have been installed again since it was shown.
      await usedSecret(control, request);
      await control.setSecret(request.server, request.secret);
      return;
    case 'remove-secrets':
      await control.removeSecrets(request.server, request.secret ?? null);
      return;
  }
}

// — internal —

/** An install tells its failure as its last event. */
async function installed(
  run: (told: (event: InstallEvent) => void) => Promise<void>,
  report: (event: InstallEvent) => void,
): Promise<void> {
  let failure: McpdError | null = null;
  await run((event) => {
    if (event.type === 'failed') failure = fromReport(event.error);
    report(event);
  });
  if (failure !== null) throw failure;
}

/** What it would change waits at the daemon, for whoever asks for it. */
async function tried(
  control: DaemonControl,
  { server, version, integrity }: ShownTry,
  report: (event: WorkEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  const life = await control.life();
  signal.throwIfAborted();
  let failure: McpdError | null = null;
  const told = (event: UpdateEvent) => {
    if (event.type === 'failed') failure = fromReport(event.error);
    if (event.type !== 'offer') report(event);
  };
  const wanted = {
    ...(version === undefined ? {} : { exactly: version }),
    ...(integrity === null ? {} : { integrity }),
  };
  await life.offerUpdate(server, wanted, told, signal);
  if (failure !== null) throw failure;
}
