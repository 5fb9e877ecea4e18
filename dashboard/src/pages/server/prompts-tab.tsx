import { completionsOf } from './completions.ts';
import { argumentsOfPrompt } from './offer.ts';
import { OfferTab } from './offer-tab.tsx';
import { fieldsOfPrompt, textsOf } from './prompt-fields.ts';
import { type Given, jsonWay } from './schema-form.tsx';
import type { TabProps } from './server-page.tsx';
import { TryForm } from './try-form.tsx';

/** The prompts of a server. */
export function PromptsTab({ name, chosen }: TabProps) {
  return (
    <OfferTab name={name} tab="prompts" noun="prompt" chosen={chosen} entriesOf={(lists) => lists.prompts}>
      {(entry, place, { completes }) => {
        const { raw } = entry;
        const requestOf = (given: Given) => ({ kind: 'prompt', name: raw, arguments: textsOf(given) }) as const;
        return (
          <TryForm
            key={raw}
            place={place}
            label={`Try ${entry.title}`}
            fields={fieldsOfPrompt(argumentsOfPrompt(entry))}
            requestOf={requestOf}
            raw={(run) => jsonWay((given) => run(requestOf(given)))}
            complete={completes ? completionsOf(name, { kind: 'prompt', name: raw }) : undefined}
          />
        );
      }}
    </OfferTab>
  );
}
