import { styleText } from 'node:util';
import { McpdError } from '../src/errors.ts';
import { showable, showableJson } from '../src/text.ts';
import { type Column, type Paint, tableLines } from './table.ts';

/** Standard output carries results, standard error carries talk; scripts read the one, people both. */
export interface Output {
  /** One line of a result. */
  print(line: string): void;
  /** Text of a server that may fill several lines. */
  text(text: string): void;
  json(value: unknown): void;
  table<Row>(rows: readonly Row[], columns: readonly Column<Row>[]): void;
  /** Lines `label  value`, aligned; null leaves the line out. */
  fields(fields: readonly (readonly [label: string, value: string | null])[]): void;
  /** One line of talk. */
  say(line: string): void;
  paint: Palette;
  /** The palette of standard error. */
  sayPaint: Palette;
  /** Standard error is a terminal that can rewrite a line. */
  live: boolean;
}

export type Palette = Record<'red' | 'green' | 'yellow' | 'cyan' | 'dim' | 'bold', Paint>;

/** What an output needs of a stream. */
export interface Sink {
  write(text: string): unknown;
  isTTY?: boolean;
  columns?: number;
}

export function outputTo(stdout: Sink, stderr: Sink, env: NodeJS.ProcessEnv): Output {
  const paint = paletteOf(stdout, env);
  const print = (line: string) => void stdout.write(`${lineOut(line, stdout, env)}\n`);
  return {
    print,
    text: (text) => void stdout.write(`${showable(text, 'lines')}\n`),
    json: (value) => void stdout.write(`${showableJson(value, 2)}\n`),
    table: (rows, columns) => {
      const width = stdout.isTTY === true ? (stdout.columns ?? null) : null;
      for (const line of tableLines(rows, columns, width, paint.bold)) print(line);
    },
    fields: (fields) => {
      const shown = fields.filter((field): field is readonly [string, string] => field[1] !== null);
      const width = Math.max(...shown.map(([label]) => label.length));
      for (const [label, value] of shown) print(`${paint.bold(label.padEnd(width))}  ${showable(value)}`.trimEnd());
    },
    say: (line) => void stderr.write(`${lineOut(line, stderr, env)}\n`),
    paint,
    sayPaint: paletteOf(stderr, env),
    live: isLive(stderr, env),
  };
}

/**
 * An error as people read it:
 * ```
 * mcpd: weather did not become ready within 30 s (SERVER_START_TIMEOUT)
 *   why  its last line on stderr was: WEATHER_API_KEY is not set
 *   try  mcpd logs weather
 * ```
 */
export function errorLines(error: McpdError, palette: Palette): string[] {
  const { what, why, fix } = error.parts;
  const lines = [`${palette.red('mcpd:')} ${showable(what)} ${palette.dim(`(${error.code})`)}`];
  if (why !== undefined) lines.push(...labelled(palette.bold('why'), why));
  if (fix !== undefined) lines.push(...labelled(palette.bold('try'), fix));
  if (error instanceof StepFailure) {
    lines.push(`  ${palette.bold('step')} ${error.step}`);
    if (error.stderrTail.length > 0)
      lines.push(
        '  its last lines on stderr:',
        ...error.stderrTail.map((line) => `    ${palette.dim('|')} ${showable(line)}`),
      );
  }
  return lines;
}

/** The JSON of an error: `{"error":{code,what,why,fix}}`, with step and stderrTail for an install. */
export function errorJson(error: McpdError): unknown {
  const { what, why = null, fix = null } = error.parts;
  const step = error instanceof StepFailure ? { step: error.step, stderrTail: error.stderrTail } : {};
  return { error: { code: error.code, what, why, fix, ...step } };
}

/** An install that failed: at which step, and what the server said last. */
export class StepFailure extends McpdError {
  readonly step: string;
  readonly stderrTail: readonly string[];

  constructor(error: McpdError, step: string, stderrTail: readonly string[]) {
    super(error.code, error.parts, { cause: error });
    this.step = step;
    this.stderrTail = stderrTail;
  }
}

// — internal —

/** Exactly what the palette writes: nothing among it hides text or moves the cursor. */
const OUR_COLOURS = new RegExp(`(${String.fromCharCode(0x1b)}\\[(?:1|2|22|31|32|33|36|39)m)`);

/**
 * The last gate of every line: nothing but our own colours gets through as a control sequence, and where there are none, nothing at all.
 * It cannot know who wrote a colour: whoever puts text of a server into a line calls `showable` first.
 */
function lineOut(line: string, sink: Sink, env: NodeJS.ProcessEnv): string {
  if (!hasColours(sink, env)) return showable(line);
  return line
    .split(OUR_COLOURS)
    .map((part, i) => (i % 2 === 1 ? part : showable(part)))
    .join('');
}

const COLOURS = ['red', 'green', 'yellow', 'cyan', 'dim', 'bold'] as const;

/** Text of several lines (the end of a log) stands indented under its label, so that no line of it can pass for one of ours. */
function labelled(label: string, text: string): string[] {
  return text.split('\n').map((line, i) => `  ${i === 0 ? label : '   '}  ${showable(line)}`);
}

/** A stream in which a line may be rewritten: a real terminal, and no build log. */
function isLive(sink: Sink, env: NodeJS.ProcessEnv): boolean {
  const isBuild = env['CI'] !== undefined && env['CI'] !== '' && env['CI'] !== 'false';
  return sink.isTTY === true && env['TERM'] !== 'dumb' && !isBuild;
}

/** no-color.org: any value but the empty one switches colours off. */
function hasColours(sink: Sink, env: NodeJS.ProcessEnv): boolean {
  return isLive(sink, env) && (env['NO_COLOR'] ?? '') === '';
}

function paletteOf(sink: Sink, env: NodeJS.ProcessEnv): Palette {
  const coloured = hasColours(sink, env);
  const plain: Paint = (text) => text;
  // `validateStream: false`: the decision was made above, for the stream that is written to.
  const entries = COLOURS.map((colour) => [
    colour,
    coloured ? (text: string) => styleText(colour, text, { validateStream: false }) : plain,
  ]);
  return Object.fromEntries(entries) as Palette;
}
