import { HttpHost } from '../http-host.mjs';
import { endAll, interleaved, manyCalls, summary, timeCalls, WARM_UP_CALLS } from '../rounds.mjs';
import { TOOLS_PER_SERVER } from '../targets.mjs';

const KINDS = [
  { kind: 'in a session', stateless: false },
  { kind: 'stateless', stateless: true },
];
const SIZES = [
  { size: '100 B', bytes: 100 },
  { size: '10 KB', bytes: 10_000 },
];
const IN_FLIGHT = 8;

/** Milliseconds of a call by HTTP, by the size of its answer, and calls a second. */
export async function httpCalls(targets, quick) {
  const samples = { calls: {}, rate: {} };
  for (const { kind, stateless } of KINDS) {
    const opened = await opener(targets, stateless);
    for (const { size, bytes } of SIZES) {
      const once = ({ host, target }) => timeCalls(host, target.toolOf(0, 'blob'), { bytes }, quick ? 200 : 400);
      await interleaved(opened, 1, once);
      samples.calls[`${size}, ${kind}`] = await interleaved(opened, quick ? 3 : 11, async (one) =>
        summary(await once(one)),
      );
    }
    const count = quick ? 2000 : 6000;
    const once = async ({ host, target }) => {
      const from = performance.now();
      await manyCalls(host, target.toolOf(0, 'echo'), { text: 'hello' }, count, IN_FLIGHT);
      return { perSecond: count / ((performance.now() - from) / 1000) };
    };
    await interleaved(opened, 1, once);
    samples.rate[`${IN_FLIGHT} in flight, ${kind}`] = await interleaved(opened, quick ? 3 : 9, once);
    await endAll(opened);
  }
  return samples;
}

/** Milliseconds from a new connection until its host has the list of all tools. */
export async function httpStart(targets, servers, quick) {
  const doors = await Promise.all(targets.map(async (target) => ({ name: target.name, door: await target.web() })));
  const listed = async ({ door }) => {
    const from = performance.now();
    const host = new HttpHost(door, false);
    await host.initialize();
    await host.ask('tools/list', {});
    const ms = performance.now() - from;
    const tools = await host.tools();
    if (tools.length < servers * TOOLS_PER_SERVER) throw new Error(`${tools.length} tools only`);
    await host.end();
    return { ms };
  };
  await interleaved(doors, 3, listed);
  return { [`${servers} servers`]: await interleaved(doors, quick ? 9 : 31, listed) };
}

/** Milliseconds of a list of very many tools: by stdio of both, and by HTTP of mcpd beside stdio of the forwarder. */
export async function longList(forwarder, mcpd, tools, quick) {
  const [bare, own] = [await forwarder.open(), await mcpd.open()];
  const web = new HttpHost(await mcpd.web(), false);
  await web.initialize();
  const samples = {};
  for (const [name, host] of [
    [`${tools} tools, stdio`, own],
    [`${tools} tools, HTTP beside stdio`, web],
  ]) {
    const hosts = [
      { name: 'forwarder', host: bare },
      { name: 'mcpd', host },
    ];
    const once = async ({ host: asked }) => {
      const from = performance.now();
      await asked.ask('tools/list', {});
      return { ms: performance.now() - from };
    };
    await interleaved(hosts, 5, once);
    samples[name] = await interleaved(hosts, quick ? 21 : 61, once);
  }
  await Promise.all([bare.end(), own.end(), web.end()]);
  return samples;
}

// — internal —

async function opener(targets, stateless) {
  const opened = [];
  for (const target of targets) {
    const host = new HttpHost(await target.web(), stateless);
    await host.initialize();
    await timeCalls(host, target.toolOf(0, 'echo'), { text: 'warm' }, WARM_UP_CALLS);
    opened.push({ name: target.name, target, host });
  }
  return opened;
}
