import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { findChromium, launch } from '../../harness/chromium-start.mjs';
import { interleaved, summary, timeCalls } from '../rounds.mjs';

const CALLS_IN_HISTORY = 100_000;
const NOISY = 'noisy';
const SETTLE_MS = 2000;
/** All servers are in the table, and the rows that the window shows are there with everything in them, down to its lower edge. */
const ALL_SERVERS = 'tbody:has(tr:nth-child(12) .row-actions):has(tr:nth-child(100))';
/** Of all interactions in a round, so that a 95th percentile is not just the slowest. */
const TURNS = 3;

/**
 * The dashboard in Chromium over a large home: 100 servers with 50 tools each, all running, 100 000 calls in the history, and one server
 * that prints 2 000 lines a second. From each click or key to the frame that shows what was asked for; and the calls of a host while the
 * page shows the noisy log, beside those without a page.
 */
export async function dashboard(mcpd, servers, quick) {
  await mcpd.prepare();
  await mcpd.start();
  await mcpd.addNoisy(NOISY);
  const first = await mcpd.open();
  for (let n = 0; n < servers; n++) await timeCalls(first, mcpd.toolOf(n, 'echo'), { text: 'hello' }, 2);
  await first.end();
  await mcpd.stop();
  fillHistory(join(mcpd.home, 'history.db'));

  await mcpd.start();
  const host = await mcpd.open();
  for (let n = 0; n < servers; n++) await timeCalls(host, mcpd.toolOf(n, 'echo'), { text: 'hello' }, 1);
  await timeCalls(host, `${NOISY}__echo`, { text: 'hello' }, 1);
  const browser = await launch(await findChromium());
  const page = await (await browser.newContext({ locale: 'en-US', viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(await mcpd.dashboardLink());
  await page.getByText('server-0', { exact: true }).waitFor();

  await interact(page);
  const interactions = [];
  for (let round = 0; round < (quick ? 2 : 5); round++) {
    const turns = [];
    for (let turn = 0; turn < TURNS; turn++) turns.push(await interact(page));
    interactions.push(turns);
  }

  const callsWith = (place) => async () => {
    await page.goto(place === null ? 'about:blank' : `${new URL(page.url()).origin}/`);
    if (place !== null) await goTo(page, place, NOISY, '[role=option]');
    // A page that has just been opened is read and compiled by the browser, on the cores that the calls need too.
    await delay(SETTLE_MS);
    return summary(await timeCalls(host, mcpd.toolOf(1, 'echo'), { text: 'hello' }, quick ? 1000 : 3000));
  };
  const origin = new URL(page.url()).origin;
  const calls = await interleaved(
    [
      { name: 'calls, page closed', measure: callsWith(null) },
      { name: 'calls, page open', measure: callsWith(`#/servers/${NOISY}/logs`) },
    ],
    quick ? 2 : 5,
    async (item) => {
      if (page.url() === 'about:blank') await page.goto(origin);
      return item.measure();
    },
  );
  await browser.close();
  await host.end();
  await mcpd.stop();
  return {
    interactions: { mcpd: interactions.map((turns) => summary(turns.flatMap((turn) => Object.values(turn)))) },
    ...eachInteraction(interactions),
    ...Object.fromEntries(Object.entries(calls).map(([name, rounds]) => [name, { mcpd: rounds }])),
  };
}

// — internal —

/** One case for each interaction, so that the page shows which one is slow. */
function eachInteraction(rounds) {
  return Object.fromEntries(
    Object.keys(rounds[0][0]).map((name) => [
      `… ${name}`,
      { mcpd: rounds.map((turns) => summary(turns.map((turn) => turn[name]))) },
    ]),
  );
}

/** More of the rows that are there, each at another time: 100 000 real calls would be sampled. */
function fillHistory(file) {
  const db = new Database(file);
  const columns = db.pragma('table_info(calls)');
  const names = columns.filter(({ pk }) => pk === 0).map(({ name }) => name);
  const values = names.map((name) => (name === 'at' ? 'at - n * 1000' : name));
  const { rows } = db.prepare('SELECT count(*) AS rows FROM calls').get();
  db.exec(`
    WITH RECURSIVE turns(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM turns WHERE n < ${Math.ceil(CALLS_IN_HISTORY / rows)})
    INSERT INTO calls (${names.join(', ')}) SELECT ${values.join(', ')} FROM calls, turns LIMIT ${CALLS_IN_HISTORY}
  `);
  db.close();
}

/** Milliseconds of each interaction. */
async function interact(page) {
  const times = {};
  times['servers'] = await goTo(page, '#/servers', 'Servers', ALL_SERVERS);
  times['search servers'] = await type(page, 'server-42', 'tbody tr:only-child');
  times['all servers'] = await type(page, '', ALL_SERVERS);
  times['sort'] = await click(page, 'th:nth-child(8) button', 'th:nth-child(8)[aria-sort]');
  times['choose all'] = await click(page, 'thead input', '[role=toolbar]');
  times['choose none'] = await click(page, 'thead input', 'table:not(:has(:checked))');
  times['server'] = await click(page, 'a[href="#/servers/server-7"]', '[role=tablist]');
  times['tools'] = await goTo(page, '#/servers/server-7/tools', 'server-7', '[role=option]');
  times['tool'] = await click(page, '[role=option]:nth-child(4)', '[role=option]:nth-child(4) [data-chosen]');
  times['search tools'] = await type(page, 'records_3', '[role=option]:nth-child(2)');
  times['log'] = await goTo(page, `#/servers/${NOISY}/logs`, NOISY, '[role=option]:nth-child(5)');
  times['search log'] = await type(page, 'record 97', 'mark');
  times['calls'] = await goTo(page, '#/calls', 'Calls', '[role=option]:nth-child(5)');
  times['call'] = await click(page, '[role=option]', '.waterfall');
  // That it looks: the look itself takes as long as what is looked at.
  times['health'] = await goTo(page, '#/health', 'Health', '.page-head');
  times['settings'] = await goTo(page, '#/settings', 'Settings', 'fieldset');
  return times;
}

/** `heading`: of the page that is wanted, since the one that goes may have rows of the same kind. */
const goTo = (page, hash, heading, until) => timed(page, { kind: 'go', value: hash, heading }, until);
const click = (page, selector, until) => timed(page, { kind: 'click', selector }, until);
const type = (page, value, until) => timed(page, { kind: 'type', selector: 'main input[type=search]', value }, until);

/** From the action to the frame after the one in which `until` matches, measured in the page itself. */
function timed(page, action, until) {
  return page.evaluate(
    async ([{ kind, selector, value, heading }, awaited]) => {
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const limit = performance.now() + 20_000;
      const element = selector === undefined ? null : document.querySelector(selector);
      if (selector !== undefined && element === null) throw new Error(`${selector} is not on ${location.hash}`);
      const from = performance.now();
      if (kind === 'go') location.hash = value;
      else if (kind === 'click') element.click();
      else {
        element.value = value;
        element.dispatchEvent(new Event('input', { bubbles: true }));
      }
      await frame();
      const isThere = () =>
        document.querySelector(awaited) !== null &&
        (heading === undefined || document.querySelector('h1')?.textContent === heading);
      while (!isThere()) {
        if (performance.now() > limit) throw new Error(`${awaited} did not come on ${location.hash}`);
        await frame();
      }
      await frame();
      return performance.now() - from;
    },
    [action, until],
  );
}
