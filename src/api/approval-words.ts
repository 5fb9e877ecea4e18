import { McpdError } from '../errors.ts';
import { isRiskyVariable, riskyVariables } from '../risky-variables.ts';
import { shellWord } from '../shell-word.ts';
import type { ApprovalInfo, ApprovalRequest } from './contract/approvals.ts';
import type { AddressRequest, CommandRequest, InstallPlan, InstallRequest } from './contract.ts';

/** What a person is shown before he says yes. */
export type Described = Pick<ApprovalInfo, 'server' | 'says' | 'details' | 'warnings'>;

/** An install needs its plan, which says what would be fetched and run. */
export function describedInstall(request: InstallRequest, plan: InstallPlan): Described {
  const isRemote = /^https?:/.test(plan.commandLine);
  return {
    server: plan.name,
    says: `install ${plan.name}${isRemote ? '' : ' and run its program'}`,
    details: [
      ...(plan.fetch === null ? [] : [{ label: 'fetch', value: plan.fetch }]),
      { label: isRemote ? 'reach' : 'run', value: plan.commandLine },
      ...valuesOf('variable', request.env ?? {}),
      ...valuesOf('header', request.headers ?? {}),
    ],
    warnings: [...plan.warnings, ...riskyVariables(Object.keys(request.env ?? {}), 'this request')],
  };
}

/** Everything else says by itself what it does. */
export function described(request: Exclude<ApprovalRequest, { action: 'install' }>): Described {
  switch (request.action) {
    case 'add':
      return 'url' in request.add ? describedAddress(request.add) : describedCommand(request.add);
    case 'uninstall':
      return {
        ...NOTHING_MORE,
        server: request.server,
        says: `remove ${request.server}${request.purge === true ? ' and everything that it has stored' : ''}`,
      };
    case 'apply':
      return {
        server: null,
        says: `make the servers of ${request.apply.path} those of the text below`,
        details: [{ label: 'text', value: request.apply.text }],
        warnings: ['servers that this file named before, and does not name now, are removed'],
      };
    case 'set-secret':
      return {
        ...NOTHING_MORE,
        server: request.server,
        says: `give ${request.server} a new value for ${request.secret.name}, and restart it if it runs`,
      };
    case 'remove-secrets':
      return {
        ...NOTHING_MORE,
        server: request.server,
        says: `forget ${request.secret ?? 'every secret'} of ${request.server}`,
      };
  }
}

/**
 * A value that is not shown may not decide what is run: nobody could say yes to it.
 * @throws {McpdError} INPUT_INVALID
 */
export function checkNothingHidden(request: ApprovalRequest): void {
  const env = request.action === 'install' ? request.install.env : undefined;
  const added = request.action === 'add' && 'env' in request.add ? request.add.env : undefined;
  const hidden = Object.entries({ ...env, ...added }).flatMap(([name, { secret }]) => (secret ? [name] : []));
  const names = request.action === 'set-secret' ? [request.secret.name] : hidden;
  const risky = names.find(isRiskyVariable);
  if (risky === undefined) return;
  throw new McpdError('INPUT_INVALID', {
    what: `${risky} cannot be a secret here`,
    why: 'it can make a server run other code than its own, so whoever says yes must see it',
    fix: 'use the CLI: mcpd install --help',
  });
}

// — internal —

const NOTHING_MORE = { details: [], warnings: [] };
const HIDDEN = '(a secret, not shown)';

type Given = Record<string, { value: string; secret: boolean }>;

function describedCommand(request: CommandRequest): Described {
  return {
    server: request.name,
    says: `add ${request.name} and run a program of this machine`,
    details: [
      { label: 'run', value: [request.command, ...request.args].map(shellWord).join(' ') },
      { label: 'in folder', value: request.cwd },
      ...valuesOf('variable', request.env),
    ],
    warnings: riskyVariables(Object.keys(request.env), 'this request'),
  };
}

function describedAddress(request: AddressRequest): Described {
  return {
    server: request.name,
    says: `add ${request.name}, which runs elsewhere`,
    details: [{ label: 'reach', value: request.url }, ...valuesOf('header', request.headers ?? {})],
    warnings: [],
  };
}

function valuesOf(label: string, given: Given): ApprovalInfo['details'] {
  return Object.entries(given).map(([name, { value, secret }]) => ({
    label,
    value: `${name}=${secret ? HIDDEN : shellWord(value)}`,
  }));
}
