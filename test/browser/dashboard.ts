import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import { expect, inject } from 'vitest';
import { DaemonClient } from '../../src/control/client.ts';
import { pathsOf } from '../../src/paths.ts';
import { launch } from '../harness/chromium.ts';
import { type Machine, test as machineTest } from '../harness/machine.ts';
import { until } from '../harness/until.ts';

/** For what is waited for on a page: a limit against hanging. */
const PATIENCE_MS = 60_000;
/** A width that shows everything side by side. */
export const LAPTOP = { width: 1280, height: 800 };

export const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };

/** What Chromium says on the console while nobody answers on the port. */
export const DAEMON_AWAY = /WebSocket connection|ERR_CONNECTION/;

/** The page of one daemon, and everybody who looks at it. */
export class Dashboard {
  readonly machine: Machine;
  readonly browser: Browser;
  /** What no page may have at its end: messages on the console, errors, requests to anybody else. */
  readonly troubles: string[] = [];
  private readonly contexts: BrowserContext[] = [];
  /** Requests of all windows that wait for the head of their answer; streams have one. */
  private unanswered = 0;

  constructor(machine: Machine, browser: Browser) {
    this.machine = machine;
    this.browser = browser;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.machine.home.port}`;
  }

  /** What `mcpd dashboard` prints. */
  async link(): Promise<string> {
    const client = new DaemonClient(pathsOf(this.machine.home.mcpdHome));
    return (await client.request<{ url: string }>('POST', '/api/codes', {})).url;
  }

  /** A browser window of its own, which has visited nothing. Whatever goes wrong in it is noted, but for what `expects` names. */
  async window(options: BrowserContextOptions = {}, expects: RegExp | null = null): Promise<Page> {
    const context = await this.browser.newContext({
      locale: 'en-US',
      viewport: LAPTOP,
      reducedMotion: 'reduce',
      ...options,
    });
    context.setDefaultTimeout(PATIENCE_MS);
    this.contexts.push(context);
    this.watch(context, expects);
    return context.newPage();
  }

  /** A window that has signed in and shows `route`, or where a person arrives. */
  async open(
    route: string | null = null,
    options: BrowserContextOptions = {},
    expects: RegExp | null = null,
  ): Promise<Page> {
    const page = await this.window(options, expects);
    await page.goto(await this.link());
    await page.waitForFunction(() => sessionStorage.length > 0);
    if (route !== null) await this.show(page, route);
    return page;
  }

  /** Goes there as somebody who edits the address, and waits until what the page asked for then is answered and drawn. */
  async show(page: Page, route: string): Promise<void> {
    await page.evaluate((hash) => {
      location.hash = hash;
    }, route);
    await drawn(page);
    await until('all requests to be answered', () => this.unanswered === 0);
    await drawn(page);
  }

  async end(): Promise<void> {
    for (const context of this.contexts) await context.close();
  }

  private watch(context: BrowserContext, expects: RegExp | null): void {
    const note = (trouble: string) => {
      if (!expects?.test(trouble)) this.troubles.push(trouble);
    };
    context.on('console', (message) => note(`${message.type()} on the console: ${message.text()}`));
    context.on('weberror', (error) => note(`error: ${error.error().message}`));
    context.on('requestfailed', (request) => {
      if (!request.existingResponse()) this.unanswered--;
    });
    context.on('response', () => this.unanswered--);
    context.on('request', (request) => {
      this.unanswered++;
      if (new URL(request.url()).origin !== this.origin) note(`request to ${request.url()}`);
    });
    context.on('page', (page) =>
      page.on('websocket', (socket) => {
        if (!socket.url().startsWith(this.origin.replace('http:', 'ws:'))) note(`socket to ${socket.url()}`);
      }),
    );
  }
}

/** Draws what it has, and has drawn it: the second frame comes after the first was painted. */
async function drawn(page: Page): Promise<void> {
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}

/** A test with a machine of its own and a browser; a page that did anything it should not fails it. */
export const test = machineTest
  .extend<{ $file: { browser: Browser } }>({
    browser: [
      // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs
      async ({}, use) => {
        const browser = await launch(inject('chromium'));
        await use(browser);
        await browser.close();
      },
      { scope: 'file' },
    ],
  })
  .extend<{ dashboard: Dashboard }>({
    dashboard: async ({ machine, browser }, use) => {
      const dashboard = new Dashboard(machine, browser);
      await use(dashboard);
      await dashboard.end();
      // Soft: what throws here would keep the machine from being ended.
      expect.soft(dashboard.troubles).toEqual([]);
    },
  });
