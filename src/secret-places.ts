import { isRiskyVariable } from './risky-variables.ts';
import { secretsIn } from './secret-references.ts';
import { shellWord } from './shell-word.ts';

/** Where a launch uses a secret, for whoever must agree to it. */
export interface SecretPlace {
  secret: string;
  /** `header`, `variable`, `an argument` … */
  label: string;
  /** The text that refers to it: `Authorization=Bearer ${secret:KEY}`. */
  value: string;
  /** What stands there can make the server run other code than its own. */
  steers: boolean;
}

/** As much of a launch as tells who gets what. */
type Launched =
  | { kind: 'http'; url: string; headers: Readonly<Record<string, string>> }
  | {
      kind: 'stdio';
      command: string;
      args: readonly string[];
      cwd: string | null;
      env: Readonly<Record<string, string>>;
    };

/** Pure. */
export function secretPlaces(launch: Launched): SecretPlace[] {
  const places: SecretPlace[] = [];
  const look = (label: string, text: string, steers: boolean, value = text) => {
    for (const secret of new Set(secretsIn(text))) places.push({ secret, label, value, steers });
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

/** Who gets what stands there: the address, or the command line as a shell reads it. */
export function destinationOf(launch: Launched): string {
  return launch.kind === 'http' ? launch.url : [launch.command, ...launch.args].map(shellWord).join(' ');
}
