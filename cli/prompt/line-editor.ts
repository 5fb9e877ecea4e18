import { showable } from '../../src/text.ts';
import { widthOf } from '../width.ts';

/**
 * One line typed on a terminal in raw mode, as a pure state machine: what was typed so far, and one chunk of input, give what is typed
 * now, what to echo and how it stands. With `hidden` nothing is ever echoed, not even the length of a secret.
 */
export interface Typing {
  text: string;
  /** Inside an escape sequence (an arrow key, the marks around a paste): its bytes are no text. */
  escape: 'none' | 'begun' | 'sequence';
  /** The last line ended with CR: an LF right after it belongs to the same key or paste. */
  afterReturn: boolean;
}

export interface Typed {
  typing: Typing;
  outcome: 'typing' | 'submitted' | 'aborted';
  echo: string;
  /** Input behind the end of the line: the start of the next answer. */
  rest: string;
}

export const NOTHING_TYPED: Typing = { text: '', escape: 'none', afterReturn: false };

export function typed(typing: Typing, chunk: string, echo: 'visible' | 'hidden'): Typed {
  const chars = [...chunk];
  let now = typing;
  let echoed = '';
  for (const [i, char] of chars.entries()) {
    const step = typedChar(now, char);
    now = step.typing;
    if (echo === 'visible') echoed += step.echo;
    if (step.outcome !== 'typing')
      return { typing: now, outcome: step.outcome, echo: echoed, rest: chars.slice(i + 1).join('') };
  }
  return { typing: now, outcome: 'typing', echo: echoed, rest: '' };
}

// — internal —

type CharStep = Omit<Typed, 'rest'>;

const ESCAPE = '\u001b';
const KEYS: Record<string, (typing: Typing) => CharStep> = {
  '\r': (typing) => ({ typing: { ...typing, afterReturn: true }, outcome: 'submitted', echo: '' }),
  '\n': (typing) => ({ typing, outcome: 'submitted', echo: '' }),
  /** Ctrl-C */
  '\u0003': (typing) => ({ typing, outcome: 'aborted', echo: '' }),
  /** Ctrl-D: the end of input on an empty line, nothing on a begun one. */
  '\u0004': (typing) => ({ typing, outcome: typing.text === '' ? 'aborted' : 'typing', echo: '' }),
  /** Backspace, under both of its codes. */
  '\u007f': (typing) => erased(typing, lastGrapheme(typing.text)),
  '\b': (typing) => erased(typing, lastGrapheme(typing.text)),
  /** Ctrl-U */
  '\u0015': (typing) => erased(typing, typing.text),
  /** Ctrl-W */
  '\u0017': (typing) => erased(typing, /\S*\s*$/.exec(typing.text)?.[0] ?? ''),
  [ESCAPE]: (typing) => ({ typing: { ...typing, escape: 'begun' }, outcome: 'typing', echo: '' }),
};

function typedChar(typing: Typing, char: string): CharStep {
  const ignored: CharStep = { typing: { ...typing, afterReturn: false }, outcome: 'typing', echo: '' };
  if (typing.afterReturn && char === '\n') return ignored;
  if (typing.escape === 'begun')
    return { ...ignored, typing: { ...typing, escape: char === '[' || char === 'O' ? 'sequence' : 'none' } };
  // A sequence ends with its first letter or tilde: `ESC [ A`, `ESC [ 200 ~`.
  if (typing.escape === 'sequence')
    return { ...ignored, typing: { ...typing, escape: /[@-~]/.test(char) ? 'none' : 'sequence' } };
  const key = KEYS[char];
  if (key !== undefined) return key({ ...typing, afterReturn: false });
  if (/\p{Cc}/u.test(char)) return ignored;
  return {
    typing: { ...typing, text: typing.text + char, afterReturn: false },
    outcome: 'typing',
    echo: showable(char),
  };
}

/** Takes `end` off the text and off the screen. */
function erased(typing: Typing, end: string): CharStep {
  const text = typing.text.slice(0, typing.text.length - end.length);
  return { typing: { ...typing, text }, outcome: 'typing', echo: '\b \b'.repeat(widthOf(showable(end))) };
}

function lastGrapheme(text: string): string {
  let last = '';
  for (const { segment } of new Intl.Segmenter().segment(text)) last = segment;
  return last;
}
