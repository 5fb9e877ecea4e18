import { McpdError } from '../errors.ts';
import { isRiskyVariable, riskyVariables } from '../risky-variables.ts';
import { hasReference } from '../secret-references.ts';
import { shellWord } from '../shell-word.ts';
import { hashText, publishedText } from '../shown-plan.ts';
import type { ApprovalInfo, ApprovalRequest } from './contract/approvals.ts';
import type { AddressRequest, CommandRequest, InstallPlan, InstallRequest } from './contract.ts';

/** What a person is shown before he says yes. */
export type Described = Pick<ApprovalInfo, 'server' | 'says' | 'details' | 'warnings'>;

/** An install needs its plan, which says what would be fetched and run. */
export function describedInstall(request: InstallRequest, plan: InstallPlan): Described {
  const isRemote = /^https?:/.test(plan.commandLine);
  const hash = hashText(plan);
  return {
    server: plan.name,
    says: `install ${plan.name}${isRemote ? '' : ' and run its program'}`,
    details: [
      ...(plan.published === null ? [] : [{ label: 'from', value: publishedText(plan.published) }]),
      ...(plan.fetch === null ? [] : [{ label: 'fetch', value: plan.fetch }]),
      ...(plan.choice === null ? [] : [{ label: 'chosen', value: plan.choice }]),
      ...(hash === null ? [] : [{ label: 'hash', value: hash }]),
      ...(plan.publisher === null ? [] : [{ label: 'publisher', value: plan.publisher }]),
      { label: isRemote ? 'reach' : 'run', value: plan.commandLine },
      ...valuesOf('variable', request.env ?? {}),
      ...valuesOf('header', request.headers ?? {}),
    ],
    warnings: [...plan.warnings, ...riskyVariables(Object.keys(request.env ?? {}), 'this request')],
  };
}

/** Everything else but a secret (approval-secret.ts), a file (approval-apply.ts) and another version (approval-update.ts) says by itself what it does. */
export function described(
  request: Extract<ApprovalRequest, { action: 'add' | 'uninstall' | 'remove-secrets' }>,
): Described {
  switch (request.action) {
    case 'add':
      return 'url' in request.add ? describedAddress(request.add) : describedCommand(request.add);
    case 'uninstall':
      return {
        ...NOTHING_MORE,
        server: request.server,
        says: `remove ${request.server}${request.purge === true ? ' and everything that it has stored' : ''}`,
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
  const { env, words } = givenIn(request);
  const hidden = Object.entries(env).flatMap(([name, { value, secret }]) =>
    secret || hasReference(value) ? [name] : [],
  );
  const names = request.action === 'set-secret' ? [request.secret.name] : hidden;
  const risky = names.find(isRiskyVariable) ?? words.find((word) => hasReference(word));
  if (risky === undefined) return;
  throw new McpdError('INPUT_INVALID', {
    what: `${risky.slice(0, WORD_SHOWN)} cannot hold a secret here`,
    why: 'it can make a server run other code than its own, so whoever says yes must see it',
    fix:
      request.action === 'set-secret'
        ? `mcpd secret set ${request.server} ${risky}`
        : 'use the CLI: mcpd install --help',
  });
}

// — internal —

const NOTHING_MORE = { details: [], warnings: [] };
/** Of a word in an error. */
const WORD_SHOWN = 120;
const HIDDEN = '(a secret, not shown)';

type Given = Record<string, { value: string; secret: boolean }>;

/** The variables and the words of the command line that a page names itself. */
function givenIn(request: ApprovalRequest): { env: Given; words: string[] } {
  if (request.action === 'install') return { env: request.install.env ?? {}, words: request.install.args ?? [] };
  if (request.action !== 'add' || 'url' in request.add) return { env: {}, words: [] };
  const { command, args, cwd, env } = request.add;
  return { env, words: [command, ...args, cwd] };
}

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
