import { shown } from '../../text.ts';
import { CodeBlock } from '../../ui/code.tsx';
import { OfferTab } from './offer-tab.tsx';
import { fieldsOf } from './schema-fields.ts';
import { type Given, jsonWay } from './schema-form.tsx';
import type { TabProps } from './server-page.tsx';
import { TryForm } from './try-form.tsx';

/** The tools of a server, those too that only some hosts see. */
export function ToolsTab({ name, chosen }: TabProps) {
  return (
    <OfferTab name={name} tab="tools" noun="tool" chosen={chosen} entriesOf={(lists) => lists.tools}>
      {({ raw, title, listed }, place) => {
        const requestOf = (given: Given) => ({ kind: 'tool', name: raw, arguments: given }) as const;
        return (
          <>
            <TryForm
              key={raw}
              place={place}
              label={`Try ${title}`}
              fields={fieldsOf(listed['inputSchema'])}
              requestOf={requestOf}
              raw={(run) => jsonWay((given) => run(requestOf(given)))}
            />
            <details>
              <summary>Schema</summary>
              <CodeBlock text={shown(JSON.stringify(listed['inputSchema'], null, 2) ?? 'null')} label="schema" />
            </details>
          </>
        );
      }}
    </OfferTab>
  );
}
