/** echo-server.mjs that prints 2 000 lines a second on stderr all the time. */
import './echo-server.mjs';

const TURNS_PER_SECOND = 40;
const LINES_PER_TURN = 50;
let count = 0;

setInterval(() => {
  let lines = '';
  for (let n = 0; n < LINES_PER_TURN; n++)
    lines += `${++count} looked up record ${count % 977} of the collection in ${count % 13} ms\n`;
  process.stderr.write(lines);
}, 1000 / TURNS_PER_SECOND);
