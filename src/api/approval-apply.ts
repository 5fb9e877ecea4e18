import { McpdError } from '../errors.ts';
import type { Described } from './approval-words.ts';
import type { ApprovalRequest } from './contract/approvals.ts';
import type { SecretUse } from './contract/credentials.ts';
import type { DaemonControl } from './daemon-control.ts';

type Apply = Extract<ApprovalRequest, { action: 'apply' }>;

/**
 * What a person is shown of a file that a page wants applied: the text, what it adds, changes and removes, and which kept secrets it sends
 * where they are not sent now, since the text only names them. Their values are not shown, so they may not decide what is run.
 * @throws {McpdError} CONFIG_INVALID, INPUT_INVALID
 */
export async function describedApply(control: DaemonControl, { apply }: Apply): Promise<Described> {
  const { added, changed, removed, failed, secrets } = await control.apply({ ...apply, dryRun: true });
  const steering = secrets.find(({ steers }) => steers);
  if (steering !== undefined) throw mustBeSeen(steering);
  return {
    server: null,
    says: `make the servers of ${apply.path} those of the text below`,
    details: [
      ...named('adds', added),
      ...named('changes', changed),
      ...named('removes', removed),
      ...secrets.map(({ secret, server, to, place }) => ({
        label: 'sends',
        value: `the secret ${secret} of ${server} to ${to} (${place})`,
      })),
      { label: 'text', value: apply.text },
    ],
    warnings: [
      ...(secrets.length === 0 ? [] : ['secrets that you gave before would go where they do not go now']),
      ...failed.map(({ name, error }) => `${name} cannot be applied: ${error.what}`),
      'servers that this file named before, and does not name now, are removed',
    ],
  };
}

// — internal —

function named(label: string, names: readonly string[]): Described['details'] {
  return names.length === 0 ? [] : [{ label, value: [...names].sort().join(', ') }];
}

function mustBeSeen({ server, secret, place }: SecretUse): McpdError {
  return new McpdError('INPUT_INVALID', {
    what: `a page cannot put ${secret} of ${server} there`,
    why: `${place.slice(0, PLACE_SHOWN)}: a value that nobody sees could make the server run other code than its own`,
    fix: 'mcpd apply -f FILE, in a terminal',
  });
}

/** Of a text in an error. */
const PLACE_SHOWN = 120;
