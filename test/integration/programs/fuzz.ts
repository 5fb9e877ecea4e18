/** Runs in a thread: sends the wrong messages of one side, and posts what came of them. */
import { parentPort, workerData } from 'node:worker_threads';
import { type FuzzOrder, fuzzHosts, fuzzServers } from '../../simulated/fuzz-runs.ts';

const { side, ...order } = workerData as FuzzOrder & { side: 'hosts' | 'servers' };
parentPort?.postMessage(side === 'hosts' ? fuzzHosts(order) : fuzzServers(order));
