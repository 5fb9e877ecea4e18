import { expect, test } from 'vitest';
import { McpdError } from '../src/errors.ts';
import { errorJson, errorLines, type Output, outputTo, StepFailure } from './output.ts';

function captured(env: NodeJS.ProcessEnv, isTTY = true): { output: Output; out: () => string; err: () => string } {
  let out = '';
  let err = '';
  const sink = (take: (text: string) => void) => ({ write: take, isTTY, columns: 40 });
  const output = outputTo(
    sink((text) => {
      out += text;
    }),
    sink((text) => {
      err += text;
    }),
    env,
  );
  return { output, out: () => out, err: () => err };
}

test('results go to standard output and talk to standard error', () => {
  const { output, out, err } = captured({});
  output.print('result');
  output.say('talk');
  expect([out(), err()]).toEqual(['result\n', 'talk\n']);
});

test.each([
  ['a terminal', {}, true, true, true],
  ['a pipe', {}, false, false, false],
  ['NO_COLOR', { NO_COLOR: '1' }, true, false, true],
  ['an empty NO_COLOR', { NO_COLOR: '' }, true, true, true],
  ['a dumb terminal', { TERM: 'dumb' }, true, false, false],
  ['a build', { CI: 'true' }, true, false, false],
])('on %s colours and live lines are used as they should', (_, env: NodeJS.ProcessEnv, isTTY, hasColours, isLive) => {
  const { output } = captured(env, isTTY);
  expect(output.paint.red('x') !== 'x').toBe(hasColours);
  expect(output.live).toBe(isLive);
});

test('an error is what, why, try', () => {
  const error = new McpdError('SERVER_START_TIMEOUT', {
    what: 'weather did not become ready within 30 s',
    why: 'it said: no key',
    fix: 'mcpd logs weather',
  });
  expect(errorLines(error, captured({}, false).output.sayPaint)).toEqual([
    'mcpd: weather did not become ready within 30 s (SERVER_START_TIMEOUT)',
    '  why  it said: no key',
    '  try  mcpd logs weather',
  ]);
  expect(errorJson(new McpdError('USAGE', { what: 'x' }))).toEqual({
    error: { code: 'USAGE', what: 'x', why: null, fix: null },
  });
});

test('a reason of several lines stays under its label', () => {
  const error = new McpdError('DAEMON_START_FAILED', { what: 'it did not start', why: 'its log:\nmcpd: all is well' });
  expect(errorLines(error, captured({}, false).output.sayPaint).slice(1)).toEqual([
    '  why  its log:',
    '       mcpd: all is well',
  ]);
});

test('a failed install names its step and the last lines of the server', () => {
  const failure = new StepFailure(new McpdError('SERVER_EXITED', { what: 'x exited' }), 'trial', [
    'one',
    '\u001b[2Jtwo',
  ]);
  expect(failure.exitCode).toBe(5);
  expect(errorLines(failure, captured({}, false).output.sayPaint).slice(1)).toEqual([
    '  step trial',
    '  its last lines on stderr:',
    '    | one',
    '    | \\x1b[2Jtwo',
  ]);
  expect(errorJson(failure)).toMatchObject({ error: { step: 'trial', stderrTail: ['one', '\u001b[2Jtwo'] } });
});

test('no escape sequence of a server reaches the terminal, by whatever door', () => {
  const hostile = 'x\u001b]52;c;aGk=\u0007\r\u009b2J\u202e';
  const { output, out, err } = captured({ NO_COLOR: '1' });
  output.print(hostile);
  output.say(hostile);
  output.text(hostile);
  output.json({ [hostile]: hostile });
  output.fields([['label', hostile]]);
  output.table([hostile], [{ title: 'T', cell: (row) => row }]);
  for (const line of errorLines(
    new McpdError('INTERNAL', { what: hostile, why: hostile, fix: hostile }),
    output.sayPaint,
  ))
    output.say(line);
  expect((out() + err()).replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test('our own colours pass, and nothing else that begins with ESC', () => {
  const { output, out } = captured({});
  output.print(`${output.paint.red('red')} \u001b[2J\u001b[8m`);
  expect(out()).toBe('\u001b[31mred\u001b[39m \\x1b[2J\\x1b[8m\n');
});

test('where there are no colours, not even ours pass', () => {
  const { output, out } = captured({}, false);
  output.print('\u001b[31mred\u001b[39m');
  expect(out()).toBe('\\x1b[31mred\\x1b[39m\n');
});

test('text of several lines keeps its lines', () => {
  const { output, out } = captured({});
  output.text('a\n\tb\u0007');
  expect(out()).toBe('a\n\tb\\x07\n');
});
