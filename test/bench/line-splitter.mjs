const NEWLINE = 0x0a;

/** Cuts chunks into lines and copies nothing: `onLine` gets the pieces of one line, without its newline. */
export function lineSplitter(onLine) {
  let pieces = [];
  return (chunk) => {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      pieces.push(chunk.subarray(from, end));
      from = end + 1;
      const line = pieces;
      pieces = [];
      onLine(line);
    }
    if (from < chunk.length) pieces.push(from === 0 ? chunk : chunk.subarray(from));
  };
}

export const joined = (pieces) => (pieces.length === 1 ? pieces[0] : Buffer.concat(pieces));
