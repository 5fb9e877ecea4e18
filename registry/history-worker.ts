import { statSync } from 'node:fs';
import { parentPort, workerData } from 'node:worker_threads';
import type { McpdError } from '../src/errors.ts';
import { HISTORY_RETRY_MS } from '../src/operation-limits.ts';
import { type FromWorker, nothing, type Question, type ToWorker, type WorkerSettings } from './history-messages.ts';
import { type HistoryStore, openHistoryStore, putAside } from './history-store.ts';
import { sqliteFault } from './sqlite-fault.ts';

/** The thread that owns history.db. Whatever happens to the file, it answers, and says in one sentence what is wrong. */

if (parentPort === null) throw new RangeError('history-worker is started by createHistory only');
const port = parentPort;
const { path, begun, lostMark } = workerData as WorkerSettings;

let store: HistoryStore | null = null;
/** Nothing is opened or written before this moment (`performance.now()`); reading goes on while the file is open. */
let offUntil = 0;

port.on('message', (message: ToWorker) => {
  switch (message.type) {
    case 'write':
      send({ type: 'taken', rows: message.rows, lost: write(message) ? 0 : message.rows });
      break;
    case 'ask':
      ask(message.id, message.question);
      break;
    case 'close':
      close(message);
      break;
  }
});

function write({ calls, transitions }: ToWorker & { type: 'write' }): boolean {
  if (performance.now() < offUntil) return false;
  try {
    opened().write(calls, transitions);
    if (offUntil > 0) well();
    return true;
  } catch (thrown) {
    return repaired(thrown) && writeToNew(calls, transitions);
  }
}

function close({ ended }: ToWorker & { type: 'close' }): void {
  try {
    if (ended !== null && performance.now() >= offUntil) opened().end(ended.at, ended.reason);
  } catch (thrown) {
    // The next daemon takes this one for lost: the file says no more of it.
    switchOff(sqliteFault(thrown, path));
  }
  store?.close();
  port.close();
}

/** A batch that found the file damaged goes into the new one. */
function writeToNew(...batch: Parameters<HistoryStore['write']>): boolean {
  try {
    opened().write(...batch);
    return true;
  } catch (thrown) {
    switchOff(sqliteFault(thrown, path));
    return false;
  }
}

function ask(id: number, question: Question): void {
  try {
    const answer = store === null && performance.now() < offUntil ? nothing(question) : opened().answer(question);
    send({ type: 'answer', id, answer });
  } catch (thrown) {
    const again = repaired(thrown);
    if (again) send({ type: 'answer', id, answer: nothing(question) });
    else send({ type: 'refused', id, error: sqliteFault(thrown, path).report() });
  }
}

function lostAt(): number | null {
  const changed = statSync(lostMark, { throwIfNoEntry: false })?.mtimeMs;
  return changed === undefined ? null : Math.round(changed);
}

function opened(): HistoryStore {
  store ??= openHistoryStore(path, begun, lostAt);
  return store;
}

/** True when a damaged file was put aside, so that a new one can be opened; any other fault switches the history off for a while. */
function repaired(thrown: unknown): boolean {
  const fault = sqliteFault(thrown, path);
  if (fault.code !== 'REGISTRY_DAMAGED') {
    switchOff(fault);
    return false;
  }
  try {
    store?.close();
    store = null;
    putAside(path);
    offUntil = 0;
    send({
      type: 'damaged',
      finding: `the call history was damaged (${fault.parts.why}); it was moved to ${path}.damaged and begun anew`,
    });
    return true;
  } catch (again) {
    switchOff(sqliteFault(again, path));
    return false;
  }
}

function switchOff(fault: McpdError): void {
  offUntil = performance.now() + HISTORY_RETRY_MS;
  send({ type: 'off', finding: `the call history is switched off: ${fault.message}` });
}

function well(): void {
  offUntil = 0;
  send({ type: 'off', finding: null });
}

function send(message: FromWorker): void {
  port.postMessage(message);
}
