import type { OfferedEntry } from '../../../../src/api/contract/offers.ts';
import type { Ability } from '../../../../src/core/model.ts';
import { shown } from '../../text.ts';

/** What a server lists, for people. Pure. What is parsed out of an entry is the server's own to the letter: what is shown of it is made safe here. */
export interface Entry {
  /** The server's own name for it, or its URI. To the letter. */
  raw: string;
  /** The same, safe to show. */
  title: string;
  /** How hosts know it. Safe to show. */
  name: string;
  /** Safe to show. */
  description: string;
  onlyFor: readonly Ability[] | null;
  /** The whole entry, to the letter. */
  listed: Readonly<Record<string, unknown>>;
}

export interface PromptArgument {
  name: string;
  title: string;
  description: string;
  required: boolean;
}

export function entryOf({ name, json, onlyFor }: OfferedEntry): Entry {
  const listed = objectOf(JSON.parse(json));
  const raw = textOf(listed['uri']) || textOf(listed['uriTemplate']) || textOf(listed['name']);
  const description = textOf(listed['description']) || (raw === listed['name'] ? '' : textOf(listed['name']));
  return { raw, title: shown(raw), name: shown(name), description: shown(description), onlyFor, listed };
}

/** What a prompt takes, in its order; what is no argument is left out. */
export function argumentsOfPrompt({ listed }: Entry): PromptArgument[] {
  const given = Array.isArray(listed['arguments']) ? listed['arguments'] : [];
  return given.map(objectOf).flatMap((one) => {
    const name = textOf(one['name']);
    if (name === '') return [];
    const [title, description] = [textOf(one['title']), textOf(one['description'])];
    return [{ name, title, description, required: one['required'] === true }];
  });
}

const ASKED: Record<Ability, string> = {
  elicitation: 'something of a person (elicitation)',
  roots: 'for their folders (roots)',
  sampling: 'something of their model (sampling)',
};

/** `Only for hosts that can be asked for their folders (roots)`. */
export function onlyForText(abilities: readonly Ability[]): string {
  const last = abilities.map((one) => ASKED[one]);
  const end = last.pop() ?? '';
  return `Only for hosts that can be asked ${last.length === 0 ? end : `${last.join(', ')} and ${end}`}`;
}

// — internal —

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
