import { useState } from 'preact/hooks';
import type { KnownVersions, VersionState } from '../../../src/api/contract/updates.ts';
import { post } from '../api.ts';
import { servers } from '../live/store.ts';
import { counted, timeText } from '../text.ts';
import { useAnswer } from '../use-answer.ts';

interface Versions {
  /** Null before the first answer. */
  known: KnownVersions | null;
  thrown: unknown;
  /** Asks the registries of the packages. */
  look: () => Promise<void>;
  pin: (server: string, on: boolean) => Promise<void>;
}

/** How installed packages stand to what there is, as far as it is known: no registry is asked before somebody looks. */
export function useVersions(): Versions {
  const [turn, setTurn] = useState(0);
  const installed = [...servers.value.values()].map(({ name, fingerprint }) => `${name} ${fingerprint}`).join();
  const { answer: known, thrown } = useAnswer<KnownVersions>('/api/outdated', `${installed} ${turn}`);
  const after = async (work: Promise<unknown>) => {
    await work;
    setTurn((last) => last + 1);
  };
  return {
    known,
    thrown,
    look: () => after(post('/api/outdated')),
    pin: (server, on) => after(post(`/api/servers/${server}/pin`, { on })),
  };
}

/** What a look came to, in words. `now` in milliseconds since 1970. */
export function lookText({ askedAt, servers: states }: KnownVersions, now: number): string {
  if (askedAt === null) return 'Nobody has looked for newer versions since mcpd started.';
  const newer = states.filter(({ isOutdated }) => isOutdated).length;
  const of = counted(states.length, 'server');
  const found = newer === 0 ? `no newer version for ${of}` : `a newer version for ${newer} of ${of}`;
  return `Looked at ${timeText(askedAt, now)}: ${found}.`;
}

/** The newest version that is known, or why none is. */
export function newestText({ available, installed, error }: VersionState): string {
  if (error !== null) return error.why === undefined ? error.what : `${error.what}: ${error.why}`;
  if (available === null) return 'nobody has looked yet';
  return available === installed ? `${available}, which is installed` : available;
}
