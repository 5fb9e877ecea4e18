import type { ComponentChildren } from 'preact';
import type { OfferedEntry, ServerOffer } from '../../../../src/api/contract/offers.ts';
import { hrefOf, replaceWith } from '../../route.ts';
import type { TryPlace } from '../../trying/tries.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { EntryList } from './entry-list.tsx';
import { type Entry, entryOf, onlyForText } from './offer.ts';
import { useOffer } from './use-offer.ts';

interface OfferTabProps {
  name: string;
  tab: TryPlace['tab'];
  noun: string;
  /** The server's own name of what is shown, as the address says. */
  chosen: string | undefined;
  entriesOf: (lists: ServerOffer['lists']) => OfferedEntry[];
  /** How the chosen one is tried. */
  children: (entry: Entry, place: TryPlace, offer: ServerOffer) => ComponentChildren;
}

/** What a server offers of one kind; each of it can be tried. */
export function OfferTab({ name, tab, noun, chosen, entriesOf, children }: OfferTabProps) {
  const { offer, thrown, readAnew } = useOffer(name);
  return (
    <>
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      <div class="toolbar">
        <Button kind="quiet" onPress={readAnew}>
          Read the lists anew
        </Button>
        {offer === null || offer.isWhole ? null : (
          <p class="note">
            Whether {name} offers more to hosts that can be asked is not known: nobody has seen it. Reading anew finds
            out.
          </p>
        )}
      </div>
      <EntryList
        server={name}
        entries={offer === null ? null : entriesOf(offer.lists).map(entryOf)}
        noun={noun}
        raw={chosen ?? null}
        onChoose={(raw) => replaceWith(hrefOf('servers', name, tab, raw))}
      >
        {(entry) => (
          <>
            <h2 class="text">{entry.title}</h2>
            {entry.onlyFor === null ? null : (
              <p class="note">{onlyForText(entry.onlyFor)}; here you are the one who is asked.</p>
            )}
            {entry.name === entry.title ? null : (
              <p class="note">
                Hosts know it as <code>{entry.name}</code>
              </p>
            )}
            <p class="text prose">{entry.description}</p>
            {offer === null ? null : children(entry, { server: name, tab, raw: entry.raw }, offer)}
          </>
        )}
      </EntryList>
    </>
  );
}
