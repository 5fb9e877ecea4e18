import type { Launch } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { isRiskyVariable } from '../risky-variables.ts';
import { secretsIn } from '../secret-references.ts';
import { shellWord } from '../shell-word.ts';
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
  const places = placesOf(name, launch);
  const steering = places.find(({ steers }) => steers);
  if (steering !== undefined) throw mustBeSeen(server, name, steering);
  return {
    server,
    says: `give ${server} a new value for ${name}, and restart it if it runs`,
    details: [
      ...places.map(({ label, value }) => ({ label: `used in ${label}`, value })),
      launch.kind === 'http'
        ? { label: 'reach', value: launch.url }
        : { label: 'run', value: [launch.command, ...launch.args].map(shellWord).join(' ') },
    ],
    warnings: [],
  };
}

// — internal —

/** `steers`: what stands there can make the server run other code than its own. */
interface Place {
  label: string;
  value: string;
  steers: boolean;
}

function placesOf(secret: string, launch: Launch): Place[] {
  const places: Place[] = [];
  const look = (label: string, text: string, steers: boolean, value = text) => {
    if (secretsIn(text).includes(secret)) places.push({ label, value, steers });
  };
  if (launch.kind === 'http') {
    look('the address', launch.url, true);
    for (const [name, text] of Object.entries(launch.headers)) look('header', text, false, `${name}=${text}`);
    return places;
  }
  look('the command', launch.command, true);
  for (const arg of launch.args) look('an argument', arg, true);
  look('the folder', launch.cwd ?? '', true);
  for (const [name, text] of Object.entries(launch.env))
    look('variable', text, isRiskyVariable(name), `${name}=${text}`);
  return places;
}

function mustBeSeen(server: string, secret: string, { label, value }: Place): McpdError {
  return new McpdError('INPUT_INVALID', {
    what: `${secret} of ${server} cannot be set from a page`,
    why: `it is used in ${label} (${value.slice(0, TEXT_SHOWN)}), where a value that nobody sees could make the server run other code than its own`,
    fix: `mcpd secret set ${server} ${secret}`,
  });
}

/** Of a text in an error. */
const TEXT_SHOWN = 120;
