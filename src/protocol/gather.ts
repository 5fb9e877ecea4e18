import { asBuffer } from './bytes.ts';
import type { Bytes } from './frame.ts';

const NEWLINE = 0x0a;

/**
 * Lines as buffers for one write, each with its newline, whether or not it came with one. Neighbouring pieces of at most `copiedBytesMax`
 * bytes are copied together, because a copy costs less than one more buffer in the system call; longer ones stay as they are.
 */
export function gather(lines: readonly Bytes[], copiedBytesMax: number): Uint8Array[] {
  const alone = onlyPiece(lines);
  if (alone !== null && isEndedPiece(alone)) return [alone];
  if (alone !== null && alone.length <= copiedBytesMax) return [ended(alone)];
  const gathered: Uint8Array[] = [];
  let run: Uint8Array[] = [];
  const endRun = () => {
    const [first] = run;
    if (first !== undefined) gathered.push(run.length === 1 ? first : Buffer.concat(run));
    run = [];
  };
  for (const pieces of lines) {
    for (const piece of isEnded(pieces) ? pieces : [...pieces, LINE_END]) {
      if (piece.length <= copiedBytesMax) {
        run.push(piece);
      } else {
        endRun();
        gathered.push(piece);
      }
    }
  }
  endRun();
  return gathered;
}

/** The first `bytesMax` bytes of a line, in one piece; `bytesMax` is at least 1. */
export function headOf(line: Bytes, bytesMax: number): Buffer {
  const first = line[0] ?? LINE_END.subarray(1);
  if (first.length >= bytesMax || line.length <= 1) return asBuffer(first).subarray(0, bytesMax);
  const pieces: Uint8Array[] = [];
  let missing = bytesMax;
  for (const piece of line) {
    pieces.push(piece.subarray(0, missing));
    missing -= Math.min(missing, piece.length);
    if (missing === 0) break;
  }
  return Buffer.concat(pieces);
}

/** The last `bytesMax` bytes of a line, in one piece; `bytesMax` is at least 1. */
export function tailOf(line: Bytes, bytesMax: number): Buffer {
  const last = line.at(-1) ?? LINE_END.subarray(1);
  if (last.length >= bytesMax || line.length <= 1) return asBuffer(last).subarray(-bytesMax);
  const pieces: Uint8Array[] = [];
  let missing = bytesMax;
  for (let i = line.length - 1; i >= 0 && missing > 0; i--) {
    const piece = line[i] ?? LINE_END.subarray(1);
    pieces.unshift(piece.subarray(Math.max(0, piece.length - missing)));
    missing -= Math.min(missing, piece.length);
  }
  return Buffer.concat(pieces);
}

// — internal —

const LINE_END: Uint8Array = Buffer.from('\n');

/** Most often there is one line, in one piece. */
function onlyPiece(lines: readonly Bytes[]): Uint8Array | null {
  const [pieces] = lines;
  if (pieces === undefined || lines.length > 1 || pieces.length > 1) return null;
  return pieces[0] ?? null;
}

function ended(piece: Uint8Array): Uint8Array {
  const line = Buffer.allocUnsafe(piece.length + 1);
  line.set(piece);
  line[piece.length] = NEWLINE;
  return line;
}

function isEnded(pieces: Bytes): boolean {
  const last = pieces.findLast((piece) => piece.length > 0);
  return last !== undefined && isEndedPiece(last);
}

function isEndedPiece(piece: Uint8Array): boolean {
  return piece[piece.length - 1] === NEWLINE;
}
