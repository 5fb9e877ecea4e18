import type { ServerStatus } from '../../../../src/api/contract.ts';
import { SetSecret } from '../../approval/set-secret.tsx';
import { DOINGS, doTo } from '../../doing.ts';
import { LogIn } from '../../login/login-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Command } from '../../ui/code.tsx';
import { type Suggestion, suggestionsFor } from './suggestion.ts';

/** Buttons, links and commands that would help this server; nothing when it needs no help. */
export function Suggestions({ server }: { server: ServerStatus }) {
  return <SuggestionList suggestions={suggestionsFor(server)} name={server.name} />;
}

export function SuggestionList({ suggestions, name }: { suggestions: readonly Suggestion[]; name: string }) {
  if (suggestions.length === 0) return null;
  return (
    <div class="suggestions">
      {suggestions.map((one) => (
        <One key={JSON.stringify(one)} suggestion={one} name={name} />
      ))}
    </div>
  );
}

// — internal —

function One({ suggestion, name }: { suggestion: Suggestion; name: string }) {
  switch (suggestion.kind) {
    case 'do':
      return <Button onPress={() => doTo(name, suggestion.doing)}>{DOINGS[suggestion.doing].label}</Button>;
    case 'go':
      return <a href={suggestion.href}>{suggestion.label}</a>;
    case 'login':
      return <LogIn server={name} />;
    case 'secret':
      return <SetSecret server={name} secret={suggestion.secret} />;
    case 'type':
      return <Command text={suggestion.command} />;
  }
}
