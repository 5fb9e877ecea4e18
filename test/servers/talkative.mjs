/**
 * Prints on stderr without being asked: so many numbered lines a second, `line 1`, `line 2` …; each hundredth says `checkpoint` too.
 *   --rate N   lines a second (2000)
 */
import { flags, serve, text } from './base.mjs';

const given = flags({ rate: '2000' });
const EVERY_MS = 20;
const perTurn = (Number(given.rate) * EVERY_MS) / 1000;
const begun = Date.now();
let printed = 0;

setInterval(() => {
  // By the clock, so that a busy machine makes up for what it missed.
  const due = Math.floor((Date.now() - begun) / EVERY_MS) * perTurn;
  let lines = '';
  while (printed < due) {
    printed += 1;
    lines +=
      printed % 100 === 0 ? `line ${printed} checkpoint\n` : `line ${printed} of a server that has much to say\n`;
  }
  if (lines !== '') process.stderr.write(lines);
}, EVERY_MS);

serve({
  name: 'talkative',
  tools: [{ name: 'printed', description: 'How many lines', call: () => text(String(printed)) }],
});
