import type { TryRequest } from '../../../../src/api/contract/tries.ts';
import { shown } from '../../text.ts';
import { completionsOf } from './completions.ts';
import { OfferTab } from './offer-tab.tsx';
import type { Given, RawWay } from './schema-form.tsx';
import type { TabProps } from './server-page.tsx';
import { TryForm } from './try-form.tsx';
import { expand, fieldsOfTemplate, parseTemplate } from './uri-template.ts';

/** Resources and templates of a server; each can be read. */
export function ResourcesTab({ name, chosen }: TabProps) {
  return (
    <OfferTab
      name={name}
      tab="resources"
      noun="resource"
      chosen={chosen}
      entriesOf={({ resources, templates }) => [...resources, ...templates]}
    >
      {({ raw, title, listed }, place, { completes }) => {
        const isTemplate = 'uriTemplate' in listed;
        const template = isTemplate ? parseTemplate(raw) : [raw];
        const uriOf = (given: Given) => (isTemplate && template !== null ? expand(template, given) : raw);
        return (
          <TryForm
            key={raw}
            place={place}
            label={`Read ${title}`}
            fields={template === null ? null : isTemplate ? fieldsOfTemplate(template) : []}
            requestOf={(given) => read(uriOf(given))}
            raw={(run) => uriWay(uriOf, run)}
            complete={completes ? completionsOf(name, { kind: 'template', uriTemplate: raw }) : undefined}
            preview={(given) =>
              isTemplate ? (
                <p class="note">
                  Reads <code class="text">{shown(uriOf(given))}</code>
                </p>
              ) : null
            }
          />
        );
      }}
    </OfferTab>
  );
}

// — internal —

function read(uri: string): TryRequest {
  return { kind: 'resource', uri };
}

function uriWay(uriOf: (given: Given) => string, run: (request: TryRequest) => void): RawWay {
  return {
    name: 'As a URI',
    label: 'URI',
    rows: 2,
    write: uriOf,
    submit: (text) => {
      const uri = text.trim();
      if (uri === '') return 'a URI is needed';
      run(read(uri));
      return undefined;
    },
  };
}
