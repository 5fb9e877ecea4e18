import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { seriousIn } from './axe.ts';
import { test } from './dashboard.ts';

/** The page of one server: its tools are tried by a form, with progress, cancelling, and what the server asks back. */

test('a tool is tried with the form of its schema, and its answer is shown', async ({ machine, dashboard }) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers/echo/tools');
  await choose(page, 'add');
  const form = page.getByRole('region', { name: 'add' });
  await form.getByLabel(/^a( \(required\))?$/).fill('2');
  await form.getByLabel(/^b( \(required\))?$/).fill('40');
  await form.getByRole('button', { name: 'Run' }).click();
  await form.getByText('Done').waitFor();
  await form.getByRole('group', { name: 'text' }).filter({ hasText: '42' }).waitFor();

  await choose(page, 'fail');
  await page.getByRole('region', { name: 'fail' }).getByRole('button', { name: 'Run' }).click();
  await page.getByText('The tool says that it failed').waitFor();
  await page.getByText('it did not work').first().waitFor();
});

test('a long call shows its progress, and is cancelled at the server too', async ({ machine, dashboard }) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers/echo/tools');
  await choose(page, 'sleep');
  const form = page.getByRole('region', { name: 'sleep' });
  await form.getByLabel(/^ms( \(required\))?$/).fill('10000');
  await form.getByRole('button', { name: 'Run' }).click();
  const bar = form.getByRole('progressbar', { name: 'Progress' });
  await expect.poll(() => bar.getAttribute('value')).toMatch(/^0\.\d/);
  await form.getByRole('button', { name: 'Cancel' }).click();
  await form.getByText('Cancelled.').waitFor();
  await expect.poll(() => machine.records('cancelled').length).toBe(1);
});

test('what a server asks a person is a form, and its answer reaches the server', async ({ machine, dashboard }) => {
  await machine.add('asks', 'elicits');
  const page = await dashboard.open('#/servers/asks/tools');
  await choose(page, 'order');
  await page.getByRole('region', { name: 'order' }).getByRole('button', { name: 'Run' }).click();
  const question = page.getByRole('region', { name: 'The server asks' });
  await question.getByText('Which size?').waitFor();
  await question.getByLabel(/^size( \(required\))?$/).fill('42');
  await question.getByRole('button', { name: 'Answer' }).click();
  await page.getByText('size 42 is ordered').first().waitFor();
  await page.getByRole('region', { name: 'order' }).getByRole('button', { name: 'Run' }).click();
  await question.getByRole('button', { name: 'Decline' }).click();
  await page.getByText('nothing is ordered').first().waitFor();
});

test('a try without a mouse: the tool is chosen, filled in, run, and seen among the calls', async ({
  machine,
  dashboard,
}) => {
  await machine.add('echo', 'echo');
  const page = await dashboard.open('#/servers/echo/tools');
  await page.getByRole('listbox', { name: 'tools' }).focus();
  await page.keyboard.press('Home');
  await page.keyboard.press('Enter');
  const form = page.getByRole('region', { name: 'echo' });
  await form.getByLabel(/^text( \(required\))?$/).focus();
  await page.keyboard.type('typed only');
  await form.getByRole('button', { name: 'Run' }).focus();
  await page.keyboard.press('Enter');
  await form.getByText('Done').waitFor();
  await page.keyboard.type('gc');
  await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
  await page.getByRole('listbox', { name: 'Calls' }).getByText('echo').first().waitFor();
});

test('tools that only hosts see which can be asked are listed, marked, and can be tried here', async ({
  machine,
  dashboard,
}) => {
  await machine.add('any', 'any-revision', ['--revision', '2025-11-25']);
  const page = await dashboard.open('#/servers/any/tools');
  await page.getByRole('listbox', { name: 'tools' }).getByText('elicitation, roots, sampling only').first().waitFor();
  await choose(page, 'elicit');
  const elicit = page.getByRole('region', { name: 'elicit' });
  await elicit.getByText('Only for hosts that can be asked').waitFor();
  await elicit.getByLabel(/^marker/).fill('who?');
  await elicit.getByRole('button', { name: 'Run' }).click();
  const question = page.getByRole('region', { name: 'The server asks' });
  await question.getByRole('textbox', { name: /^Answer/ }).fill('ann');
  await question.getByRole('button', { name: 'Answer' }).click();
  await elicit.getByText('accept ann').first().waitFor();

  await choose(page, 'sample');
  const sample = page.getByRole('region', { name: 'sample' });
  await sample.getByLabel(/^marker/).fill('say hello');
  await sample.getByRole('button', { name: 'Run' }).click();
  await question.getByText('user: say hello').waitFor();
  await question.getByLabel('What the model says').fill('hello from a person');
  expect(await seriousIn(page)).toEqual([]);
  await question.getByRole('button', { name: 'Answer' }).click();
  await sample.getByText('hello from a person').first().waitFor();

  await choose(page, 'roots');
  const roots = page.getByRole('region', { name: 'roots', exact: true });
  await roots.getByLabel(/^marker/).fill('m');
  await roots.getByRole('button', { name: 'Run' }).click();
  await roots.getByText('was told that there are none').waitFor();
  await roots.getByText('Done').waitFor();
});

test('where nobody has seen what such hosts get, the page says so and finds out when it is asked to', async ({
  machine,
  dashboard,
}) => {
  await machine.add('any', 'any-revision', ['--revision', '2025-11-25'], ['--no-trial']);
  const page = await dashboard.open('#/servers/any/tools');
  await page.getByText('is not known: nobody has seen it').waitFor();
  await page.getByRole('button', { name: 'Read the lists anew' }).click();
  await page.getByText('is not known: nobody has seen it').waitFor({ state: 'detached' });
  await page.getByRole('listbox', { name: 'tools' }).getByText('elicitation, roots, sampling only').first().waitFor();
});

test('a prompt has a form of its arguments, completed by the server, and can be given as JSON', async ({
  machine,
  dashboard,
}) => {
  await machine.add('forms', 'forms');
  const page = await dashboard.open('#/servers/forms/prompts');
  const form = page.getByRole('region', { name: 'greet' });
  await form.getByText('Whom to greet').waitFor();
  await form.getByRole('button', { name: 'Run' }).click();
  await form.getByText('this is needed').waitFor();
  await form.getByLabel('who (required)').and(page.locator(':focus')).waitFor();
  await form.getByLabel('who (required)').fill('ann');
  await form.getByLabel('Home town').pressSequentially('Os');
  // The one with a hidden character is no suggestion.
  await form.getByText('2 suggestions').waitFor();
  expect(await form.locator('datalist').nth(1).locator('option').evaluateAll(valuesOf)).toEqual(['Oslo', 'Osaka']);
  expect(machine.records('completion').at(-1)).toMatchObject({
    ref: { type: 'ref/prompt', name: 'greet' },
    argument: { name: 'city', value: 'Os' },
    context: { arguments: { who: 'ann' } },
  });
  await form.getByLabel('Home town').fill('Oslo');
  expect(await seriousIn(page)).toEqual([]);
  await form.getByRole('button', { name: 'Run' }).click();
  await form.getByText('{"who":"ann","city":"Oslo"}').first().waitFor();
  await form.getByRole('button', { name: 'As JSON' }).click();
  await form.getByLabel('Arguments as JSON').fill('{"who":"bob"}');
  await form.getByRole('button', { name: 'Run' }).click();
  await form.getByText('user: {"who":"bob"}').first().waitFor();
});

test('a resource template has a field for each variable, shows its URI, and takes a URI by hand', async ({
  machine,
  dashboard,
}) => {
  await machine.add('forms', 'forms');
  const page = await dashboard.open('#/servers/forms/resources');
  const form = page.getByRole('region', { name: 'forms://' });
  await form.getByLabel('city (required)').fill('Rio de Janeiro');
  await form.getByLabel('day (required)').fill('1/2');
  await form.getByRole('textbox', { name: 'days' }).fill('mon\ntue');
  await form.getByText('forms://Rio%20de%20Janeiro/days/1%2F2?days=mon&days=tue').first().waitFor();
  expect(await seriousIn(page)).toEqual([]);
  await form.getByRole('button', { name: 'Run' }).click();
  await form.getByText('read forms://Rio%20de%20Janeiro/days/1%2F2?days=mon&days=tue').first().waitFor();
  await form.getByRole('button', { name: 'As a URI' }).click();
  await form.getByLabel('URI', { exact: true }).fill('forms://Oslo/days/3');
  await form.getByRole('button', { name: 'Run' }).click();
  await form.getByText('read forms://Oslo/days/3').first().waitFor();
});

test('a try goes on while the page shows something else, which says how it is and leads back', async ({
  machine,
  dashboard,
}) => {
  await machine.add('forms', 'forms');
  const page = await dashboard.open('#/servers/forms/tools');
  await choose(page, 'hold');
  await page.getByRole('region', { name: 'hold' }).getByRole('button', { name: 'Run' }).click();
  await page.getByRole('progressbar', { name: 'Progress' }).waitFor();
  await choose(page, 'release');
  const elsewhere = page.getByRole('status', { name: 'Tries elsewhere' });
  await elsewhere.getByText('hold of forms is running').waitFor();
  await page.keyboard.type('gc');
  await page.getByRole('heading', { name: 'Calls', level: 1 }).waitFor();
  await elsewhere.getByText('hold of forms is running').waitFor();
  expect(await seriousIn(page)).toEqual([]);
  await elsewhere.getByRole('link', { name: 'Show hold' }).focus();
  await page.keyboard.press('Enter');
  const hold = page.getByRole('region', { name: 'hold' });
  await hold.getByRole('progressbar', { name: 'Progress' }).waitFor();
  expect(await elsewhere.getByText('hold').count()).toBe(0);

  await choose(page, 'release');
  await page.getByRole('region', { name: 'release' }).getByRole('button', { name: 'Run' }).click();
  await elsewhere.getByText('hold of forms is done').waitFor();
  await elsewhere.getByRole('link', { name: 'Show hold' }).click();
  await hold.getByText('held and released').first().waitFor();
  expect(machine.records('cancelled')).toEqual([]);

  await hold.getByRole('button', { name: 'Run' }).click();
  await hold.getByRole('progressbar', { name: 'Progress' }).waitFor();
  await choose(page, 'release');
  await elsewhere.getByRole('button', { name: 'Cancel hold' }).focus();
  await page.keyboard.press('Enter');
  await elsewhere.getByText('hold of forms was cancelled').waitFor();
  await expect.poll(() => machine.records('cancelled').length).toBe(1);
});

test('choices with hidden characters are shown so that they are seen, and sent to the letter', async ({
  machine,
  dashboard,
}) => {
  await machine.add('forms', 'forms');
  const page = await dashboard.open('#/servers/forms/tools');
  await choose(page, 'choose');
  const form = page.getByRole('region', { name: 'choose' });
  await form.getByLabel('one (required)').selectOption({ label: String.raw`a\u200bb` });
  await form.getByRole('checkbox', { name: String.raw`a\x07b` }).check();
  await form.getByRole('checkbox', { name: String.raw`a\u202eb` }).check();
  await form.getByText(String.raw`(begins with x\u200by)`).waitFor();
  await form.getByRole('button', { name: 'Run' }).click();
  await form.getByText('Done').waitFor();
  expect(machine.records('call').at(-1)).toMatchObject({
    name: 'choose',
    args: { one: 'a\u200bb', some: ['a\u0007b', 'a\u202eb'], 'd\u200b': 'x\u200by' },
  });

  await choose(page, String.raw`ask\u200b`);
  await page.getByRole('region', { name: String.raw`ask\u200b` }).getByRole('button', { name: 'Run' }).click();
  const question = page.getByRole('region', { name: 'The server asks' });
  await question.getByLabel('one (required)').selectOption({ label: String.raw`a\u200bb` });
  await question.getByRole('button', { name: 'Answer' }).click();
  await page.getByText(String.raw`{"one":"a\u200bb"}`).first().waitFor();
});

// — internal —

const valuesOf = (options: Element[]) => options.map((option) => option.getAttribute('value'));

async function choose(page: Page, tool: string): Promise<void> {
  const list = page.getByRole('listbox', { name: 'tools' });
  await list
    .getByRole('option')
    .filter({ has: page.getByText(tool, { exact: true }) })
    .first()
    .click();
}
