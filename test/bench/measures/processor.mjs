import { processorSeconds } from '../processes.mjs';
import { interleaved, manyCalls } from '../rounds.mjs';

const IN_FLIGHT = 8;

/** Microseconds of processor time that a daemon and its shim use for one call. Null where the system does not tell. */
export async function processor(opened, quick) {
  const calls = quick ? 10_000 : 50_000;
  const once = async ({ host, target }) => {
    const pids = [target.daemonPid, host.pid];
    const used = () => pids.map(processorSeconds);
    const before = used();
    await manyCalls(host, target.toolOf(0, 'echo'), { text: 'hello' }, calls, IN_FLIGHT);
    const after = used();
    const [daemon, shim] = after.map((seconds, n) => (seconds === null ? null : ((seconds - before[n]) * 1e6) / calls));
    return { daemon, shim };
  };
  const daemons = opened.filter(({ target }) => target.daemonPid !== undefined);
  return { '8 in flight': await interleaved(daemons, quick ? 3 : 7, once) };
}
