import type { ServerStatus } from '../../../../src/api/contract.ts';
import type { Doing } from '../../doing.ts';
import { hrefOf } from '../../route.ts';

/** What would help a server: a button of this page, a place on it, a login, a secret to ask for, or a command for a terminal. */
export type Suggestion =
  | { kind: 'do'; doing: Doing }
  | { kind: 'go'; href: string; label: string }
  | { kind: 'login' }
  | { kind: 'secret'; secret: string }
  | { kind: 'type'; command: string };

/** What a person can do about the state of a server, the most helpful first. Empty when nothing needs to be done. Pure. */
export function suggestionsFor(server: ServerStatus): Suggestion[] {
  const { name, fix } = server;
  if (!server.enabled) return [{ kind: 'do', doing: 'enable' }];
  const own = fix === null ? [] : suggestionsIn(fix, name);
  if (server.wantedReason === 'needs-auth') return own.length > 0 ? own : [{ kind: 'login' }];
  if (server.wantedReason === 'manual' && server.state === 'stopped') return withDoing(own, 'start');
  const restartHelps = server.state === 'failed' || server.state === 'backoff' || server.health === 'silent';
  return restartHelps ? withDoing(own, 'restart') : own;
}

/** The parts of a fix for a server, such as `mcpd logs weather; then mcpd start weather`. Pure. */
export function suggestionsIn(fix: string, name: string): Suggestion[] {
  return fix.split('; then ').map((one) => suggestionOf(one, name));
}

// — internal —

/** The words after `mcpd` that the page can do itself, or has a place for. */
function suggestionOf(fix: string, name: string): Suggestion {
  const [, whose, secret] = /^mcpd secret set (\S+) ([A-Za-z_]\w*)$/.exec(fix) ?? [];
  if (whose === name && secret !== undefined) return { kind: 'secret', secret };
  const [, verb = '', about = ''] = /^mcpd ([a-z]+) (\S+)$/.exec(fix) ?? [];
  if (about === name && verb === 'auth') return { kind: 'login' };
  if (about === name && isDoing(verb)) return { kind: 'do', doing: verb };
  if (about === name && verb === 'logs')
    return { kind: 'go', href: hrefOf('servers', name, 'logs'), label: 'See its log' };
  if (about === name && verb === 'info') return { kind: 'go', href: hrefOf('servers', name), label: 'See more' };
  return { kind: 'type', command: fix };
}

function isDoing(verb: string): verb is Doing {
  return ['start', 'restart', 'enable'].includes(verb);
}

function withDoing(own: Suggestion[], doing: Doing): Suggestion[] {
  if (own.some((one) => one.kind === 'do')) return own;
  // Without its secret it would fail again.
  return own.some((one) => one.kind === 'secret') ? [...own, { kind: 'do', doing }] : [{ kind: 'do', doing }, ...own];
}
