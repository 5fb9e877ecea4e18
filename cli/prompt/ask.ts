import { StringDecoder } from 'node:string_decoder';
import type { ReadStream } from 'node:tty';
import type { InputSpec } from '../../src/api/contract.ts';
import { showable } from '../../src/text.ts';
import { Interrupted } from '../interrupt.ts';
import type { Output, Sink } from '../output.ts';
import { NOTHING_TYPED, type Typing, typed } from './line-editor.ts';
import { judged, questionOf } from './questions.ts';

/** A person at a terminal. Input typed ahead of a question is kept for it. */
export interface Keyboard {
  /** @throws Interrupted on Ctrl-C */
  line(question: string, echo: 'visible' | 'hidden'): Promise<string>;
}

/** Null when standard input or the screen is no terminal. */
export function keyboardOf(input: ReadStream, screen: Sink): Keyboard | null {
  if (!input.isTTY || screen.isTTY !== true) return null;
  const ahead = { text: '', afterReturn: false };
  return { line: (question, echo) => readLine(input, screen, question, echo, ahead) };
}

/** Asks until the answer is acceptable. Resolves to null for an optional input that was left out. */
export async function askInput(input: InputSpec, keyboard: Keyboard, output: Output): Promise<string | null> {
  if (input.description !== '') output.say(output.sayPaint.dim(showable(input.description)));
  for (;;) {
    const answer = judged(
      input,
      await keyboard.line(output.sayPaint.bold(questionOf(input)), input.secret ? 'hidden' : 'visible'),
    );
    if (answer.kind === 'value') return answer.value;
    if (answer.kind === 'left-out') return null;
    output.say(output.sayPaint.yellow(showable(answer.why)));
  }
}

/** `enter` is what Enter alone means: "no" where something is lost for good. */
export async function askConsent(
  question: string,
  enter: 'yes' | 'no',
  keyboard: Keyboard,
  output: Output,
): Promise<boolean> {
  const choice = enter === 'yes' ? '[Y/n]' : '[y/N]';
  for (;;) {
    const answer = (await keyboard.line(output.sayPaint.bold(`${showable(question)} ${choice} `), 'visible'))
      .trim()
      .toLowerCase();
    if (answer === '') return enter === 'yes';
    if (answer === 'y' || answer === 'yes') return true;
    if (answer === 'n' || answer === 'no') return false;
    output.say(output.sayPaint.yellow('y or n?'));
  }
}

// — internal —

/** What was typed behind the last Enter. */
interface Ahead {
  text: string;
  afterReturn: boolean;
}

function readLine(
  input: ReadStream,
  screen: Sink,
  question: string,
  echo: 'visible' | 'hidden',
  ahead: Ahead,
): Promise<string> {
  screen.write(question);
  input.setRawMode(true);
  const decoder = new StringDecoder('utf8');
  return new Promise((resolve, reject) => {
    let typing: Typing = { ...NOTHING_TYPED, afterReturn: ahead.afterReturn };
    const done = (act: () => void) => {
      input.off('data', onData);
      input.off('end', onEnd);
      input.setRawMode(false);
      // A paused terminal does not keep the process alive.
      input.pause();
      screen.write('\n');
      act();
    };
    const take = (chunk: string) => {
      const step = typed(typing, chunk, echo);
      typing = step.typing;
      if (step.echo !== '') screen.write(step.echo);
      if (step.outcome === 'typing') return;
      ahead.text = step.rest;
      ahead.afterReturn = typing.afterReturn;
      done(() => (step.outcome === 'submitted' ? resolve(typing.text) : reject(new Interrupted())));
    };
    const onData = (bytes: Buffer) => take(decoder.write(bytes));
    const onEnd = () => done(() => reject(new Interrupted()));
    input.on('data', onData);
    input.once('end', onEnd);
    input.resume();
    const waiting = ahead.text;
    ahead.text = '';
    if (waiting !== '') take(waiting);
  });
}
