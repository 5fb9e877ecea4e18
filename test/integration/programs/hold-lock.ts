import { acquireLock } from '../../../registry/lock.ts';

/** Tries for the lock at argv[2], says `held` or `refused`, and stays until it is killed or its stdin ends. */
process.stdin.on('end', () => process.exit(0)).resume();
const lock = acquireLock(process.argv[2] ?? '');
process.stdout.write(lock === null ? 'refused\n' : 'held\n');
