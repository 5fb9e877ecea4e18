import { useEffect, useState } from 'preact/hooks';
import type { ServerOffer } from '../../../../src/api/contract/offers.ts';
import { post } from '../../api.ts';
import { servers } from '../../live/store.ts';
import { useAnswer } from '../../use-answer.ts';

interface KnownOffer {
  /** Null while nobody knows yet. */
  offer: ServerOffer | null;
  thrown: unknown;
  readAnew: () => Promise<void>;
}

/** What a server offers. Lists come with a start, and change while it runs. */
export function useOffer(server: string): KnownOffer {
  const path = `/api/servers/${server}/offer`;
  const status = servers.value.get(server);
  const { answer, thrown } = useAnswer<ServerOffer>(path, `${status?.since} ${JSON.stringify(status?.counts)}`);
  const [fresh, setFresh] = useState<ServerOffer | null>(null);
  // What comes by itself later is newer.
  useEffect(() => setFresh(null), [answer]);
  return { offer: fresh ?? answer, thrown, readAnew: async () => setFresh(await post<ServerOffer>(path)) };
}
