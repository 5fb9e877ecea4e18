/**
 * npm run bench [-- --quick] [--only MEASURE,…] [--to FOLDER]
 * Measures dist/ as it is, beside direct connections and a bare forwarder; prints what was reached, and writes benchmarks.md and
 * benchmarks.json into docs/ (or the given folder). Exit code 0 also when a target is missed: the page says so.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { figuresOf } from './figures.mjs';
import { beside } from './measures/beside.mjs';
import { dashboard } from './measures/dashboard.mjs';
import { httpCalls, httpStart, longList } from './measures/http.mjs';
import { installedStart } from './measures/installed.mjs';
import { latency } from './measures/latency.mjs';
import { memory } from './measures/memory.mjs';
import { processor } from './measures/processor.mjs';
import { coldStart, warmStart } from './measures/start.mjs';
import { throughput } from './measures/throughput.mjs';
import { unread } from './measures/unread.mjs';
import { lineOf, pageOf } from './page.mjs';
import { Place } from './place.mjs';
import { endAll, openAll } from './rounds.mjs';
import { Direct, Forwarder, Mcpd } from './targets.mjs';

const MANY = 50;
const SLOW_MS = 1000;
/** A list of very many tools. */
const LONG = { servers: 5, tools: 1000 };

/** A home that is larger than most. */
const LARGE = { servers: 100, tools: 50 };

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string' },
    to: { type: 'string', default: fileURLToPath(new URL('../../docs', import.meta.url)) },
  },
});
const { quick } = options;
const wanted = (measure) => options.only === undefined || options.only.split(',').includes(measure);
const say = (text) => process.stderr.write(`${(performance.now() / 1000).toFixed(0).padStart(4)} s  ${text}\n`);

async function measureCalls(place, two, samples) {
  const measures = Object.entries({ latency, throughput, processor, beside }).filter(([name]) => wanted(name));
  if (measures.length === 0) return;
  const targets = [new Direct(place), new Forwarder(place, 2), two];
  for (const target of targets) await target.start();
  const opened = await openAll(targets);
  for (const [name, measure] of measures) {
    say(`${name} …`);
    samples[name] = await measure(opened, quick);
  }
  await endAll(opened);
  for (const target of targets) await target.stop();
}

async function measureHttp(place, two, samples) {
  if (!wanted('http')) return;
  say('http …');
  const targets = [new Forwarder(place, 2), two];
  for (const target of targets) await target.start();
  const { calls, rate } = await httpCalls(targets, quick);
  samples.httpCalls = calls;
  samples.httpRate = rate;
  for (const target of targets) await target.stop();
}

async function measureList(place, samples) {
  if (!wanted('list')) return;
  say('list …');
  const { servers, tools } = LONG;
  const [forwarder, mcpd] = [new Forwarder(place, servers, tools), new Mcpd(place, servers, tools)];
  await mcpd.prepare();
  for (const target of [forwarder, mcpd]) await target.start();
  samples.list = await longList(forwarder, mcpd, servers * tools, quick);
  for (const target of [forwarder, mcpd]) await target.stop();
}

async function measureUnread(place, two, samples) {
  if (!wanted('unread')) return;
  say('unread …');
  samples.unread = await unread([new Forwarder(place, 2), two], quick);
}

async function measureDashboard(place, samples) {
  if (!wanted('page')) return;
  say('page …');
  const { servers, tools } = LARGE;
  samples.dashboard = await dashboard(new Mcpd(place, servers, tools), servers, quick);
}

async function measureMany(place, samples) {
  if (!['memory', 'warm', 'cold', 'http'].some(wanted)) return;
  say(`${MANY} servers …`);
  const mcpd = new Mcpd(place, MANY);
  await mcpd.prepare();
  const coldWithOne = async () => {
    if (!wanted('cold')) return;
    const one = new Mcpd(place, 1);
    await one.prepare();
    samples.cold = { '1 server': await coldStart(one, 1, place, quick) };
  };
  if (wanted('memory') || wanted('warm') || wanted('http')) await measureRunning(place, mcpd, coldWithOne, samples);
  else await coldWithOne();
  if (!wanted('cold')) return;
  say('cold …');
  samples.cold['50 servers'] = await coldStart(mcpd, MANY, place, quick);
  await mcpd.startAlways();
  mcpd.slowDown(SLOW_MS);
  samples.cold['50 slow servers'] = await coldStart(mcpd, MANY, place, quick);
}

async function measureRunning(place, mcpd, meanwhile, samples) {
  const targets = [new Forwarder(place, MANY), mcpd];
  for (const target of targets) await target.start();
  say('memory …');
  const measured = await memory(targets, MANY, meanwhile);
  if (wanted('memory')) samples.memory = measured;
  say('warm …');
  if (wanted('warm')) samples.warm = await warmStart(targets, MANY, place, quick);
  if (wanted('http')) samples.httpWarm = await httpStart(targets, MANY, quick);
  for (const target of targets) await target.stop();
}

function write(result) {
  mkdirSync(options.to, { recursive: true });
  writeFileSync(join(options.to, 'benchmarks.json'), `${JSON.stringify(result, null, 1)}\n`);
  writeFileSync(join(options.to, 'benchmarks.md'), pageOf(result));
}

const place = new Place();
const giveUp = (code) => place.clear().then(() => process.exit(code));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => giveUp(130));
process.once('uncaughtException', (error) => {
  say(error.stack);
  void giveUp(1);
});
try {
  const samples = {};
  const two = new Mcpd(place, 2);
  await two.prepare();
  await measureCalls(place, two, samples);
  await measureHttp(place, two, samples);
  await measureList(place, samples);
  await measureUnread(place, two, samples);
  await measureMany(place, samples);
  if (wanted('installed')) {
    say('installed …');
    samples.installed = await installedStart(place, quick);
  }
  await measureDashboard(place, samples);
  const processors = cpus();
  const machine = {
    node: process.version,
    cores: processors.length,
    processor: processors[0].model.trim(),
    memoryBytes: totalmem(),
    system: `${platform()} ${release()} ${arch()}`,
  };
  const figures = figuresOf(samples);
  write({ date: new Date().toISOString().slice(0, 10), machine, quick, figures, samples });
  for (const figure of figures) process.stdout.write(`${lineOf(figure)}\n`);
} finally {
  await place.clear();
}
