/** docs/benchmarks.md, from the figures and the samples. Pure. */
import { median } from './statistics.mjs';

const MIB = 1024 * 1024;
const TARGETS = ['bare node', 'direct', 'forwarder', 'npx', 'mcpd'];

const HEAD = `# Benchmarks

Made by \`npm run bench\`, which writes this page and \`benchmarks.json\` with every round beside it.`;

const READING = `## How to read it

- **direct** is a host that starts the server itself. **forwarder** is a bare line forwarder of mcpd's shape (a daemon, a unix socket, a
  shim that pipes; \`test/bench/forwarder.mjs\`): it judges nothing, logs nothing and bounds nothing, so it shows what the shape itself
  costs. **mcpd** is \`mcpd stdio\` with its daemon, as installed, with the call log on.
- By HTTP the **forwarder** is the same program, which answers POST on a port and asks for no token; the host is the same for both.
- **npx** is a host whose entry is \`npx -y PACKAGE\`, with the package in npm's cache and the registry on this machine; mcpd has the same package
  installed, its daemon runs and its server does not.
- **The dashboard** is measured in the Chromium of the tests over a home with 100 running servers, one of which prints 2 000 lines a second: from
  an action to the frame after the one that shows what was asked for.
- All targets take turns within each round, so that whatever else the machine does meets all of them. A ratio is taken within a round.
- **value** is the median of the rounds and decides. **best** is the best single round: where both differ much, the machine was busy.
  **forwarder** is its own value where a target is in milliseconds: that much of the value is the machine's, and not mcpd's.
- Compare ratios, not milliseconds, with other machines.`;

export function pageOf({ date, machine, quick, figures, samples }) {
  const parts = [HEAD, facts(date, machine, quick), figureTable(figures), READING, '## Samples'];
  const titles = {
    latency: ['Milliseconds of a call', { p50: fixed(3), p95: fixed(3), p99: fixed(3) }],
    throughput: ['Calls a second', { perSecond: fixed(0) }],
    httpCalls: ['Milliseconds of a call by HTTP', { p50: fixed(3), p95: fixed(3), p99: fixed(3) }],
    httpRate: ['Calls a second by HTTP', { perSecond: fixed(0) }],
    httpWarm: ['Milliseconds to the list by HTTP, daemon running', { ms: fixed(1) }],
    list: ['Milliseconds of a long list', { ms: fixed(2) }],
    processor: ['Processor time of a call, µs', { daemon: fixed(1), shim: fixed(1) }],
    beside: ['Milliseconds of a small call beside large answers', { p50: fixed(2), p99: fixed(2), max: fixed(2) }],
    dashboard: [
      'Milliseconds of the dashboard, and of calls beside it',
      { p50: fixed(3), p95: fixed(3), p99: fixed(3), max: fixed(1) },
    ],
    unread: ['A host that does not read', { grown: mib, max: fixed(2) }],
    memory: ['Memory of the daemon, MiB', { running: mib, grownHalf: mib, grown: mib }],
    warm: ['Milliseconds to the list, daemon running', { ms: fixed(1) }],
    cold: ['Milliseconds to the list, no daemon', { ms: fixed(1) }],
    installed: [
      'Milliseconds to the list and to the first answer of an installed server that does not run',
      { listed: fixed(1), answered: fixed(1) },
    ],
  };
  for (const [measure, [title, metrics]] of Object.entries(titles)) {
    if (measure in samples) parts.push(sampleTable(title, samples[measure], metrics));
  }
  return `${parts.join('\n\n')}\n`;
}

/** One line for the terminal. */
export function lineOf({ what, value, sign, limit, unit, forwarder, met }) {
  const beside = forwarder === null ? '' : ` (the forwarder: ${shown(forwarder)})`;
  return `${met ? 'met    ' : 'NOT MET'}  ${shown(value).padStart(7)} ${sign} ${limit} ${unit}  ${what}${beside}`;
}

// — internal —

const fixed = (digits) => (value) => value.toFixed(digits);
const mib = (bytes) => (bytes / MIB).toFixed(1);
const shown = (value) => value.toFixed(Math.abs(value) < 10 ? 2 : 1);
const row = (cells) => `| ${cells.join(' | ')} |`;

function facts(date, { node, cores, processor, memoryBytes, system }, quick) {
  const gib = Math.round(memoryBytes / 1024 / MIB);
  const short = quick ? ' A short run (`--quick`): fewer rounds, so the figures are rougher.' : '';
  return `${date}, Node ${node}, ${cores} cores (${processor}), ${gib} GiB, ${system}.${short}`;
}

function figureTable(figures) {
  const met = figures.filter((figure) => figure.met).length;
  const rows = figures.map(({ what, sign, limit, unit, value, best, forwarder, met }) => {
    const beside = forwarder === null ? '' : shown(forwarder);
    return row([what, `${sign} ${limit} ${unit}`, shown(value), shown(best), beside, met ? 'met' : '**not met**']);
  });
  return [
    `## Targets: ${met} of ${figures.length} met`,
    '',
    row(['what', 'target', 'value', 'best', 'forwarder', '']),
    row(['---', '---', '---:', '---:', '---:', '---']),
    ...rows,
  ].join('\n');
}

/** Each metric as the median of the rounds, with the least in parentheses. */
function sampleTable(title, cases, metrics) {
  const keys = Object.keys(metrics);
  const rows = Object.entries(cases).flatMap(([name, targets]) =>
    TARGETS.filter((target) => target in targets).map((target) => {
      const cells = keys.map((key) => {
        const values = targets[target].map((round) => round[key]).filter((value) => typeof value === 'number');
        return values.length === 0 ? '–' : `${metrics[key](median(values))} (${metrics[key](Math.min(...values))})`;
      });
      return row([name, target, ...cells]);
    }),
  );
  return [
    `### ${title}`,
    '',
    'Median of the rounds, and the least.',
    '',
    row(['', 'target', ...keys.map((key) => KEY_TITLES[key] ?? key)]),
    row(['---', '---', ...keys.map(() => '---:')]),
    ...rows,
  ].join('\n');
}

const KEY_TITLES = {
  perSecond: 'calls/s',
  grown: 'grown by, MiB',
  grownHalf: 'after 50 000 calls, more',
  running: 'all running',
  max: 'slowest, ms',
  listed: 'list',
  answered: 'first answer',
};
