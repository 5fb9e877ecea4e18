/** What was promised, and what the samples say of it. Pure. */
import { addedRatios, median, ratios } from './statistics.mjs';

const MIB = 1024 * 1024;

/** One metric of one target, round by round. */
const each = (targets, target, key) => targets[target].map((round) => round[key]);

const toOther = (other) => (name, key) => (cases) =>
  ratios(each(cases[name], 'mcpd', key), each(cases[name], other, key));
const toForwarder = toOther('forwarder');
const toNpx = toOther('npx');

const added = (name) => (cases) =>
  addedRatios(...['mcpd', 'forwarder', 'direct'].map((target) => each(cases[name], target, 'p50')));

const of =
  (target) =>
  (name, key, unit = 1) =>
  (cases) =>
    each(cases[name], target, key).map((value) => value / unit);
const own = of('mcpd');
const forwarders = of('forwarder');

const openToClosed = (cases) =>
  ratios(each(cases['calls, page open'], 'mcpd', 'p50'), each(cases['calls, page closed'], 'mcpd', 'p50'));

const toBare =
  (name, reckon, target = 'mcpd') =>
  (cases) => {
    const bare = median(each(cases[name], 'bare node', 'ms'));
    return each(cases[name], target, 'ms').map((ms) => reckon(ms, bare));
  };
const more = (ms, bare) => ms - bare;
const times = (ms, bare) => ms / bare;

/**
 * `rounds` gives one value a round of the cases of `measure`; their median has to be on the right side of `limit`. `yardstick` gives
 * those of the forwarder where the target is in milliseconds: they tell how much of the value is the machine's.
 */
// biome-ignore format: a table.
const FIGURES = [
  { id: 'p50-100b', what: 'a call with a 100 B answer, p50', sign: '≤', limit: 1.2, unit: '× forwarder', measure: 'latency', rounds: toForwarder('100 B', 'p50') },
  { id: 'p50-10kb', what: 'a call with a 10 KB answer, p50', sign: '≤', limit: 1.2, unit: '× forwarder', measure: 'latency', rounds: toForwarder('10 KB', 'p50') },
  { id: 'added-1mb', what: 'a call with a 1 MB answer, p50 over direct', sign: '≤', limit: 1.5, unit: '× forwarder', measure: 'latency', rounds: added('1 MB') },
  { id: 'added-10mb', what: 'a call with a 10 MB answer, p50 over direct', sign: '≤', limit: 1.5, unit: '× forwarder', measure: 'latency', rounds: added('10 MB') },
  { id: 'calls-1', what: 'calls a second, 1 in flight', sign: '≥', limit: 0.9, unit: '× forwarder', measure: 'throughput', rounds: toForwarder('1 in flight', 'perSecond') },
  { id: 'calls-8', what: 'calls a second, 8 in flight', sign: '≥', limit: 0.75, unit: '× forwarder', measure: 'throughput', rounds: toForwarder('8 in flight', 'perSecond') },
  { id: 'calls-64', what: 'calls a second, 64 in flight', sign: '≥', limit: 0.7, unit: '× forwarder', measure: 'throughput', rounds: toForwarder('64 in flight', 'perSecond') },
  { id: 'http-100b', what: 'a call by HTTP in a session with a 100 B answer, p50', sign: '≤', limit: 1.5, unit: '× HTTP forwarder', measure: 'httpCalls', rounds: toForwarder('100 B, in a session', 'p50') },
  { id: 'http-10kb', what: 'the same, 10 KB', sign: '≤', limit: 1.5, unit: '× HTTP forwarder', measure: 'httpCalls', rounds: toForwarder('10 KB, in a session', 'p50') },
  { id: 'http-100b-stateless', what: 'a stateless call by HTTP with a 100 B answer, p50', sign: '≤', limit: 1.5, unit: '× HTTP forwarder', measure: 'httpCalls', rounds: toForwarder('100 B, stateless', 'p50') },
  { id: 'http-10kb-stateless', what: 'the same, 10 KB', sign: '≤', limit: 1.5, unit: '× HTTP forwarder', measure: 'httpCalls', rounds: toForwarder('10 KB, stateless', 'p50') },
  { id: 'http-calls-8', what: 'calls a second by HTTP in a session, 8 in flight', sign: '≥', limit: 0.6, unit: '× HTTP forwarder', measure: 'httpRate', rounds: toForwarder('8 in flight, in a session', 'perSecond') },
  { id: 'http-calls-8-stateless', what: 'the same, stateless', sign: '≥', limit: 0.6, unit: '× HTTP forwarder', measure: 'httpRate', rounds: toForwarder('8 in flight, stateless', 'perSecond') },
  { id: 'http-warm', what: 'a new HTTP connection: handshake and list of 50 servers', sign: '≤', limit: 2, unit: '× HTTP forwarder', measure: 'httpWarm', rounds: toForwarder('50 servers', 'ms') },
  { id: 'list-5000', what: 'a list of 5000 tools by stdio', sign: '≤', limit: 1.5, unit: '× forwarder', measure: 'list', rounds: toForwarder('5000 tools, stdio', 'ms') },
  { id: 'list-5000-http', what: 'the same by HTTP, beside the forwarder by stdio', sign: '≤', limit: 1.5, unit: '× forwarder', measure: 'list', rounds: toForwarder('5000 tools, HTTP beside stdio', 'ms') },
  { id: 'warm', what: 'a new shim, the daemon running: handshake and list of 50 servers', sign: '≤', limit: 12, unit: 'ms + bare node', measure: 'warm', rounds: toBare('50 servers', more), yardstick: toBare('50 servers', more, 'forwarder') },
  { id: 'cold-1', what: 'a new shim that starts the daemon: handshake and list of 1 server', sign: '≤', limit: 5, unit: '× bare node', measure: 'cold', rounds: toBare('1 server', times) },
  { id: 'cold-50', what: 'the same, 50 servers', sign: '≤', limit: 5, unit: '× bare node', measure: 'cold', rounds: toBare('50 servers', times) },
  { id: 'cold-50-slow', what: 'the same, 50 servers that start with the daemon and sleep 1 s first', sign: '≤', limit: 5, unit: '× bare node', measure: 'cold', rounds: toBare('50 slow servers', times) },
  { id: 'installed', what: 'an installed server of npm that does not run: from the start of a shim to the first answer', sign: '≤', limit: 1, unit: '× npx -y', measure: 'installed', rounds: toNpx('npm package', 'answered') },
  { id: 'memory', what: 'the daemon with 50 running servers', sign: '≤', limit: 75, unit: 'MiB', measure: 'memory', rounds: own('50 servers', 'running', MIB) },
  { id: 'growth', what: 'the daemon after 100 000 calls', sign: '≤', limit: 30, unit: 'MiB more', measure: 'memory', rounds: own('50 servers', 'grown', MIB) },
  { id: 'unread-memory', what: '150 MB that one host does not read: the daemon', sign: '≤', limit: 64, unit: 'MiB more', measure: 'unread', rounds: own('150 MB', 'grown', MIB) },
  { id: 'unread-calls', what: '150 MB that one host does not read: the slowest call of another', sign: '≤', limit: 20, unit: 'ms', measure: 'unread', rounds: own('150 MB', 'max'), yardstick: forwarders('150 MB', 'max') },
  { id: 'page-interaction', what: 'the dashboard, 100 servers, 5000 tools, 100 000 calls, 2000 log lines a second: click to painted, p95', sign: '≤', limit: 100, unit: 'ms', measure: 'dashboard', rounds: own('interactions', 'p95') },
  { id: 'page-calls', what: 'a call while the page shows that log, p50', sign: '≤', limit: 1.2, unit: '× page closed', measure: 'dashboard', rounds: openToClosed },
  { id: 'beside', what: 'small calls beside the 10 MB answers of another host, p99', sign: '≤', limit: 20, unit: 'ms', measure: 'beside', rounds: own('10 MB answers', 'p99'), yardstick: forwarders('10 MB answers', 'p99') },
];

/**
 * The figures of what was measured: `samples[measure][case][target]` is an array with one object of metrics a round. Each figure has its
 * `value` (the median of the rounds), its `best` round, the `forwarder`'s value where there is one (else null), and whether the value is
 * `met`.
 */
export function figuresOf(samples) {
  return FIGURES.filter(({ measure }) => measure in samples).map(({ rounds, yardstick, measure, ...figure }) => {
    const values = rounds(samples[measure]);
    const value = median(values);
    const least = figure.sign === '≤';
    const best = least ? Math.min(...values) : Math.max(...values);
    const forwarder = yardstick === undefined ? null : median(yardstick(samples[measure]));
    return { ...figure, value, best, forwarder, met: least ? value <= figure.limit : value >= figure.limit };
  });
}
