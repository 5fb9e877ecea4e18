import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NOTHING_TYPED, type Typed, typed } from './line-editor.ts';

/** The same input, cut into chunks as a terminal may deliver it. */
function typedIn(chunks: string[], echo: 'visible' | 'hidden' = 'visible'): Typed & { shown: string } {
  let state: Typed = { typing: NOTHING_TYPED, outcome: 'typing', echo: '', rest: '' };
  let shown = '';
  for (const chunk of chunks) {
    state = typed(state.typing, chunk, echo);
    shown += state.echo;
    if (state.outcome !== 'typing') break;
  }
  return { ...state, shown };
}

test('a line ends with Enter and is what was typed', () => {
  expect(typedIn(['Tur', 'in\r'])).toMatchObject({ outcome: 'submitted', typing: { text: 'Turin' }, shown: 'Turin' });
});

test('a secret is never echoed, not even its length', () => {
  const secret = typedIn(['hun', 'tex\u007f', 'r2\r'], 'hidden');
  expect(secret.typing.text).toBe('hunter2');
  expect(secret.shown).toBe('');
});

test('backspace takes one letter as people see it, and as many columns as it had', () => {
  expect(typedIn(['a🙂\u007f\r'])).toMatchObject({ typing: { text: 'a' }, shown: 'a🙂\b \b\b \b' });
  expect(typedIn(['e\u0301x\u007f\u007f\r']).typing.text).toBe('');
  expect(typedIn(['\u007f\u007f\r'])).toMatchObject({ typing: { text: '' }, shown: '' });
});

test('Ctrl-U empties the line and Ctrl-W takes its last word', () => {
  expect(typedIn(['one two\u0015three\r']).typing.text).toBe('three');
  expect(typedIn(['one two  \u0017\r']).typing.text).toBe('one ');
});

test('Ctrl-C aborts at any time, Ctrl-D on an empty line only', () => {
  expect(typedIn(['half a sec\u0003']).outcome).toBe('aborted');
  expect(typedIn(['\u0004']).outcome).toBe('aborted');
  expect(typedIn(['x\u0004\r'])).toMatchObject({ outcome: 'submitted', typing: { text: 'x' } });
});

test('arrow keys and the marks around a paste are no text, wherever the chunks are cut', () => {
  const input = 'a\u001b[Ab\u001b[200~pasted\u001b[201~\u001bOPc\r';
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 40, maxLength: 40 }), (sizes) => {
      const chunks: string[] = [];
      let at = 0;
      for (const size of sizes) {
        chunks.push(input.slice(at, at + size));
        at += size;
      }
      return typedIn(chunks).typing.text === 'abpastedc';
    }),
  );
});

test('what follows the line stays for the next question', () => {
  expect(typedIn(['first\rsecond\r'])).toMatchObject({ typing: { text: 'first' }, rest: 'second\r' });
});

test('CR LF is one line end, also when the next chunk begins with the LF', () => {
  const first = typedIn(['one\r']);
  expect(typed({ ...first.typing, text: '' }, '\ntwo\r', 'visible')).toMatchObject({
    outcome: 'submitted',
    typing: { text: 'two' },
  });
});

test('nothing typed or pasted puts a control character on the screen except to erase', () => {
  const keys = fc.array(fc.integer({ min: 0, max: 0x2100 })).map((codes) => String.fromCharCode(...codes));
  fc.assert(
    fc.property(
      keys,
      (chunk) => !/[\p{Cc}\p{Cf}]/u.test(typed(NOTHING_TYPED, chunk, 'visible').echo.replaceAll('\b \b', '')),
    ),
  );
});
