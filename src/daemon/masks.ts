import type { Launch } from '../core/model.ts';
import { secretsInLaunch } from '../recorder/secret-fields.ts';
import type { Secrets } from '../secrets.ts';
import { ServerMasks } from '../servers/server-masks.ts';

/** One set of masks for all that shows or stores what servers said: logs, history, recordings, errors, tries. */
export function masksOf(secrets: Pick<Secrets, 'mapOf'>, launchOf: (server: string) => Launch | null): ServerMasks {
  const inLaunch = new WeakMap<Launch, readonly string[]>();
  return new ServerMasks({
    secretsOf: (server) => secrets.mapOf(server),
    launchSecretsOf: (server) => {
      const launch = launchOf(server);
      if (launch === null) return NONE;
      const found = inLaunch.get(launch) ?? secretsInLaunch(launch);
      inLaunch.set(launch, found);
      return found;
    },
  });
}

// — internal —

const NONE: readonly string[] = [];
