import { McpdError } from '../errors.ts';
import { destinationOf, type SecretPlace, secretPlaces } from '../secret-places.ts';
import type { Described } from './approval-words.ts';
import type { ApprovalRequest } from './contract/approvals.ts';
import type { DaemonControl } from './daemon-control.ts';

/**
 * What a person is shown of a new value for a secret: where the server's launch uses it now. The value itself is not shown, so it may not
 * decide what is run.
 * @throws {McpdError} SERVER_UNKNOWN, INPUT_INVALID
 */
export async function usedSecret(
  control: DaemonControl,
  { server, secret: { name } }: Extract<ApprovalRequest, { action: 'set-secret' }>,
): Promise<Described> {
  const { launch } = await control.server(server);
  const places = secretPlaces(launch).filter(({ secret }) => secret === name);
  const steering = places.find(({ steers }) => steers);
  if (steering !== undefined) throw mustBeSeen(server, name, steering);
  return {
    server,
    says: `give ${server} a new value for ${name}, and restart it if it runs`,
    details: [
      ...places.map(({ label, value }) => ({ label: `used in ${label}`, value })),
      { label: launch.kind === 'http' ? 'reach' : 'run', value: destinationOf(launch) },
    ],
    warnings: [],
  };
}

// — internal —

function mustBeSeen(server: string, secret: string, { label, value }: SecretPlace): McpdError {
  return new McpdError('INPUT_INVALID', {
    what: `${secret} of ${server} cannot be set from a page`,
    why: `it is used in ${label} (${value.slice(0, TEXT_SHOWN)}), where a value that nobody sees could make the server run other code than its own`,
    fix: `mcpd secret set ${server} ${secret}`,
  });
}

/** Of a text in an error. */
const TEXT_SHOWN = 120;
