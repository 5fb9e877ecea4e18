/** The least that a Node program can do for somebody who waits for it. */
process.stdout.write('.');
