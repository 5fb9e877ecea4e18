import type { RecordedFrame } from '../../../../src/api/contract/recordings.ts';
import { shown } from '../../text.ts';

/** Frames that have all of the words somewhere. Pure, as the other one. */
export function matching(frames: readonly RecordedFrame[], words: string): readonly RecordedFrame[] {
  const wanted = words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (wanted.length === 0) return frames;
  return frames.filter(({ method, target, id, kind, direction, text }) => {
    const all = `${method ?? ''} ${target ?? ''} ${id ?? ''} ${kind} ${direction} ${text}`.toLowerCase();
    return wanted.every((word) => all.includes(word));
  });
}

/** JSON on several lines; what was cut is no JSON any more, and is shown as it is. Numbers keep their digits as far as a page can. */
export function indented(text: string): string {
  try {
    return shown(JSON.stringify(JSON.parse(text), null, 2));
  } catch {
    return text; // Safe already: it is a value of the daemon's answer.
  }
}
