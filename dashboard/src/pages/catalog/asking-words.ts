import type { RegistryAsking } from '../../../../src/api/contract/search.ts';
import { timeText } from '../../text.ts';
import type { Tone } from '../../ui/tone.ts';

export interface Remark {
  tone: Tone;
  text: string;
}

/** What a person must know of an answer that is old, or not there, or not all. `now` in milliseconds since 1970. Pure. */
export function remarksOf({ place, state, at, error, hasMore, warnings }: RegistryAsking, now: number): Remark[] {
  const why = error === null ? '' : error.why === undefined ? error.what : `${error.what}: ${error.why}`;
  const remarks: Remark[] = [];
  if (state === 'unreachable')
    remarks.push({ tone: 'bad', text: `${why || `${place} cannot be asked`}. It was not searched.` });
  if (state === 'kept') {
    const said = at === null ? 'before' : `at ${timeText(at, now)}`;
    remarks.push({ tone: 'busy', text: `${why || `${place} cannot be asked`}. Shown is what ${place} said ${said}.` });
  }
  remarks.push(...warnings.map((text) => ({ tone: 'busy' as const, text })));
  if (hasMore) remarks.push({ tone: 'idle', text: `${place} has more: search for another word besides.` });
  return remarks;
}
