/**
 * Writes its answers a few bytes at a time, so that characters of two, three and four bytes are cut by the chunks.
 *   --chunk N   bytes per write (default 1)
 */
import { flags, serve, text } from './base.mjs';

const chunk = Number(flags({ chunk: '1' }).chunk);
const SAMPLE = 'aé€𝄞 ß中🙂 ñ';
let last = Promise.resolve();

/** One write per turn of the event loop: several at once would be joined in the pipe. */
async function writeSlowly(line) {
  const bytes = Buffer.from(line);
  for (let at = 0; at < bytes.length; at += chunk) {
    await new Promise((resolve) => process.stdout.write(bytes.subarray(at, at + chunk), () => setImmediate(resolve)));
  }
}

serve({
  name: 'split-utf8',
  write: (line) => {
    last = last.then(() => writeSlowly(line));
  },
  tools: [{ name: 'sample', description: SAMPLE, call: () => text(SAMPLE) }],
});
