import { PassThrough } from 'node:stream';
import type { ReadStream } from 'node:tty';
import { expect, test } from 'vitest';
import type { InputSpec } from '../../src/api/contract.ts';
import { Interrupted } from '../interrupt.ts';
import { outputTo } from '../output.ts';
import { askConsent, askInput, keyboardOf } from './ask.ts';

/** A terminal: what is typed, what is shown, and whether the terminal itself would echo. */
function terminal() {
  let shown = '';
  let isRaw = false;
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (raw: boolean) => {
      isRaw = raw;
    },
  });
  const screen = {
    isTTY: true,
    write: (text: string) => {
      shown += text;
    },
  };
  const keyboard = keyboardOf(input as unknown as ReadStream, screen);
  if (keyboard === null) throw new RangeError('it is a terminal');
  const output = outputTo(screen, screen, { NO_COLOR: '1' });
  return { input, keyboard, output, shown: () => shown, isRaw: () => isRaw };
}

const secret: InputSpec = {
  name: 'TOKEN',
  description: '',
  required: true,
  secret: true,
  default: null,
  choices: null,
};

/** Types when the question is there, as a person does. */
async function typing(input: PassThrough, question: Promise<unknown>, ...chunks: string[]): Promise<unknown> {
  for (const chunk of chunks) {
    await new Promise(setImmediate);
    input.write(chunk);
  }
  return question;
}

test('a secret is asked for in raw mode, never shown, and the terminal is given back', async () => {
  const { input, keyboard, output, shown, isRaw } = terminal();
  const question = askInput(secret, keyboard, output);
  expect(isRaw()).toBe(true);
  expect(await typing(input, question, 'hunt', 'er2\r')).toBe('hunter2');
  expect(isRaw()).toBe(false);
  expect(shown()).toBe('TOKEN (secret, not shown): \n');
});

test('a needed input is asked for until there is one', async () => {
  const { input, keyboard, output, shown } = terminal();
  expect(await typing(input, askInput(secret, keyboard, output), '\r', 'x\r')).toBe('x');
  expect(shown()).toContain('TOKEN is needed\n');
});

test('an optional input may be left out', async () => {
  const { input, keyboard, output } = terminal();
  expect(await typing(input, askInput({ ...secret, required: false }, keyboard, output), '\r')).toBeNull();
});

test('lines that were pasted together answer one question after the other', async () => {
  const { input, keyboard, output } = terminal();
  const first = askInput({ ...secret, secret: false }, keyboard, output);
  expect(await typing(input, first, 'one\r\ntwo\r\n')).toBe('one');
  expect(await askInput(secret, keyboard, output)).toBe('two');
});

test('letters that come in halves are put together', async () => {
  const { input, keyboard, output } = terminal();
  const question = askInput(secret, keyboard, output);
  const bytes = Buffer.from('ü\r');
  input.write(bytes.subarray(0, 1));
  input.write(bytes.subarray(1));
  expect(await question).toBe('ü');
});

test('Ctrl-C and the end of input end the question, with the terminal given back', async () => {
  for (const act of [(input: PassThrough) => input.write('half\u0003'), (input: PassThrough) => input.end()]) {
    const { input, keyboard, output, isRaw } = terminal();
    const question = askInput(secret, keyboard, output);
    act(input);
    await expect(question).rejects.toThrow(Interrupted);
    expect(isRaw()).toBe(false);
  }
});

test('Enter means what the question says, and what is neither yes nor no is asked again', async () => {
  const { input, keyboard, output } = terminal();
  expect(await typing(input, askConsent('Sure?', 'yes', keyboard, output), '\r')).toBe(true);
  expect(await typing(input, askConsent('Sure?', 'no', keyboard, output), '\r')).toBe(false);
  expect(await typing(input, askConsent('Sure?', 'yes', keyboard, output), 'maybe\r', 'N\r')).toBe(false);
});

test('nobody can be asked when standard input is no terminal', () => {
  const screen = { isTTY: true, write: () => undefined };
  expect(keyboardOf(new PassThrough() as unknown as ReadStream, screen)).toBeNull();
});
