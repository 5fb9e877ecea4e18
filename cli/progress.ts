import { PROGRESS_REPAINT_MS } from '../src/operation-limits.ts';
import { shownDuration } from '../src/shown.ts';
import { showable } from '../src/text.ts';
import type { Output, Sink } from './output.ts';
import { cutTo } from './width.ts';

/** Steps of something that takes a while. On a terminal one live line with the elapsed time, elsewhere one line per step. */
export interface Progress {
  /** Ends the step before it as done. */
  step(label: string): void;
  /** The step goes on, and says how far it is. */
  detail(label: string): void;
  /** A line between the steps. */
  note(line: string): void;
  /** Ends the last step. */
  end(outcome: 'done' | 'failed'): void;
}

export function progressOn(screen: Sink, output: Output): Progress {
  return output.live ? liveProgress(screen, output) : plainProgress(output);
}

// — internal —

const FRAMES = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/** To the first column, and erase to the end of the line. */
const CLEAR_LINE = '\r\u001b[K';

function plainProgress(output: Output): Progress {
  return {
    step: (label) => output.say(`${showable(label)} …`),
    detail: () => undefined, // a build log wants to know of steps, and not of every half second of one
    note: (line) => output.say(line),
    end: () => undefined,
  };
}

function liveProgress(screen: Sink, output: Output): Progress {
  const { sayPaint: paint } = output;
  let current: { label: string; since: number } | null = null;
  let frame = 0;
  let timer: NodeJS.Timeout | null = null;

  const elapsed = (since: number) => shownDuration(performance.now() - since);
  const repaint = () => {
    if (current === null) return;
    frame = (frame + 1) % FRAMES.length;
    const time = elapsed(current.since);
    // Two for the spinner, two before the time, one left free: a full line would wrap and could not be cleared.
    const label = cutTo(current.label, Math.max(1, (screen.columns ?? 80) - time.length - 5));
    screen.write(`${CLEAR_LINE}${paint.cyan(FRAMES[frame] ?? '')} ${label}  ${paint.dim(time)}`);
  };
  const finish = (mark: string) => {
    if (current === null) return;
    screen.write(`${CLEAR_LINE}${mark} ${current.label}  ${paint.dim(elapsed(current.since))}\n`);
    current = null;
  };
  return {
    step: (label) => {
      finish(paint.green('✓'));
      current = { label: showable(label), since: performance.now() };
      timer ??= setInterval(repaint, PROGRESS_REPAINT_MS);
      repaint();
    },
    detail: (label) => {
      if (current === null) return;
      current = { ...current, label: showable(label) };
      repaint();
    },
    note: (line) => {
      if (current !== null) screen.write(CLEAR_LINE);
      output.say(line);
      repaint();
    },
    end: (outcome) => {
      if (timer !== null) clearInterval(timer);
      timer = null;
      finish(outcome === 'done' ? paint.green('✓') : paint.red('✗'));
    },
  };
}
