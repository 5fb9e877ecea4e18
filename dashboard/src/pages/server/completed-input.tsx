import { useEffect, useId, useRef, useState } from 'preact/hooks';
import type { Completion } from '../../../../src/api/contract/offers.ts';
import { reportOf } from '../../api.ts';
import { counted } from '../../text.ts';
import type { FieldIds } from '../../ui/field.tsx';

/** An aborted `signal` calls it off at the server too. */
export type Complete = (value: string, signal: AbortSignal) => Promise<Completion>;

interface CompletedInputProps extends FieldIds {
  value: string;
  spellcheck: boolean;
  complete: Complete;
  onChange: (value: string) => void;
}

/** A field of one line for which the server has suggestions: asked for once somebody types, or opens their list by the arrow. */
export function CompletedInput({ complete, onChange, value, ...input }: CompletedInputProps) {
  const list = useId();
  const [found, setFound] = useState<Completion>(NONE);
  const [fault, setFault] = useState('');
  const due = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  /** An earlier question says nothing of what was typed since, and a slow server would be asked them all at once. */
  const asked = useRef(new AbortController());
  useEffect(
    () => () => {
      clearTimeout(due.current);
      asked.current.abort();
    },
    [],
  );

  const ask = (typed: string) => {
    clearTimeout(due.current);
    due.current = setTimeout(() => {
      asked.current.abort();
      const mine = new AbortController();
      asked.current = mine;
      complete(typed, mine.signal).then(
        (completion) => {
          if (mine.signal.aborted) return;
          setFound(completion);
          setFault('');
        },
        (thrown: unknown) => {
          if (!mine.signal.aborted) setFault(reportOf(thrown).what);
        },
      );
    }, TYPING_PAUSE_MS);
  };
  const count = found.values.length;
  return (
    <>
      <input
        {...input}
        type="text"
        autocomplete="off"
        list={list}
        value={value}
        onInput={(event) => {
          onChange(event.currentTarget.value);
          ask(event.currentTarget.value);
        }}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown' && count === 0) ask(value);
        }}
      />
      <datalist id={list}>
        {found.values.map((one) => (
          <option key={one} value={one} />
        ))}
      </datalist>
      <p class="note" role="status">
        {fault !== '' ? `No suggestions: ${fault}` : count === 0 ? '' : suggestionsText(count, found.hasMore)}
      </p>
    </>
  );
}

// — internal —

const NONE: Completion = { values: [], hasMore: false };
/** Nobody reads suggestions while typing on, and each question is a call of the server. */
const TYPING_PAUSE_MS = 250;

function suggestionsText(count: number, hasMore: boolean): string {
  return `${counted(count, 'suggestion')}${hasMore ? ', and there are more' : ''}`;
}
