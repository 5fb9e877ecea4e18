/**
 * What is measured beside each other. A target is started with a number of servers, `server-0` …; `open` gives one more connected host.
 * Tools are called by `toolOf(server, tool)`.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Host } from './host.mjs';
import { endProcess } from './processes.mjs';

const run = promisify(execFile);
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const dist = (name) => fileURLToPath(new URL(`../../dist/${name}`, import.meta.url));
const ECHO_SERVER = here('echo-server.mjs');
/** A daemon that stops: its drain, its servers' patience, and a second. */
const DAEMON_END_MS = 17_000;
/** As echo-server.mjs has them, unless it is told otherwise. */
export const TOOLS_PER_SERVER = 10;
const LOOK_AGAIN_MS = 50;
/** Command lines of mcpd at once while servers are added. */
const ADDS_AT_ONCE = 4;

const serverName = (number) => `server-${number}`;

/** The host starts the server itself. */
export class Direct {
  name = 'direct';
  pids = [];
  #place;

  constructor(place) {
    this.#place = place;
  }

  async start() {}

  async open(server = 0) {
    const { env } = this.#place;
    const host = new Host(process.execPath, [ECHO_SERVER, '--name', serverName(server)], {
      env,
      cwd: this.#place.root,
    });
    await host.initialize();
    return host;
  }

  toolOf(_server, tool) {
    return tool;
  }

  async stop() {}
}

/** The yardstick (forwarder.mjs). */
export class Forwarder {
  name = 'forwarder';
  #place;
  #servers;
  #tools;
  #daemon;
  #socket;
  #port;

  constructor(place, servers, tools = TOOLS_PER_SERVER) {
    this.#place = place;
    this.#servers = servers;
    this.#tools = tools;
    this.#socket = join(place.root, `forwarder-${servers}-${tools}.sock`);
  }

  async start() {
    const config = join(this.#place.root, `forwarder-${this.#servers}-${this.#tools}.json`);
    const args = (n) => ['--name', serverName(n), '--tools', String(this.#tools)];
    const entry = (n) => [serverName(n), [process.execPath, ECHO_SERVER, ...args(n)]];
    writeFileSync(config, JSON.stringify(Object.fromEntries(numbers(this.#servers).map(entry))));
    this.#daemon = spawn(process.execPath, [here('forwarder.mjs'), this.#socket, config], {
      env: this.#place.env,
      cwd: this.#place.root,
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    this.#port = await new Promise((resolve, reject) => {
      this.#daemon.stdout.once('data', (line) => resolve(Number(line)));
      this.#daemon.once('exit', (code, signal) => reject(new Error(`the forwarder ended with ${signal ?? code}`)));
    });
  }

  /** Where it can be reached by HTTP. */
  async web() {
    return { url: `http://127.0.0.1:${this.#port}/mcp`, token: null };
  }

  get daemonPid() {
    return this.#daemon.pid;
  }

  shim() {
    const { env, root } = this.#place;
    return new Host(process.execPath, [here('forwarder-shim.cjs'), this.#socket], { env, cwd: root });
  }

  async open() {
    const host = this.shim();
    await host.initialize();
    return host;
  }

  toolOf(server, tool) {
    return `${serverName(server)}__${tool}`;
  }

  async stop() {
    await endProcess(this.#daemon.pid, 2000);
  }
}

/** `mcpd stdio` and the daemon that it starts, in a home of their own with their servers added by `mcpd add`. */
export class Mcpd {
  name = 'mcpd';
  #place;
  #servers;
  #tools;
  #home;
  #waitFile;
  #pid = null;
  #token = null;

  constructor(place, servers, tools = TOOLS_PER_SERVER) {
    this.#place = place;
    this.#servers = servers;
    this.#tools = tools;
    this.#home = place.folder(`mcpd-${servers}-${tools}`);
    this.#waitFile = join(place.root, `wait-${servers}-${tools}`);
    if (!existsSync(dist('stdio.cjs'))) throw new Error('dist/ is missing: npm run build');
  }

  get daemonPid() {
    return this.#pid;
  }

  /** Installs the servers and waits until a host gets the lists of all; no daemon is left. */
  async prepare() {
    await this.start();
    await inParallel(numbers(this.#servers), (n) => {
      const options = ['--name', serverName(n), '--tools', String(this.#tools), '--wait-in', this.#waitFile];
      const server = [process.execPath, ECHO_SERVER, ...options];
      return this.#cli('add', serverName(n), '--no-trial', '--', ...server);
    });
    const host = await this.open();
    while ((await host.tools()).length < this.#servers * this.#tools) await delay(LOOK_AGAIN_MS);
    await host.end();
    await this.stop();
  }

  get home() {
    return this.#home;
  }

  /** One more server, from its package. It runs after the install until it is stopped. */
  install(spec, name) {
    return this.#cli('install', spec, '--name', name, '--yes');
  }

  stopServer(name) {
    return this.#cli('stop', name);
  }

  /** One more server, which prints all the time it runs. */
  addNoisy(name) {
    return this.#cli('add', name, '--no-trial', '--', process.execPath, here('noisy-server.mjs'));
  }

  /** Opens the dashboard once. */
  async dashboardLink() {
    return JSON.parse(await this.#cli('dashboard', '--no-open', '--json')).url;
  }

  /** A daemon, as the first host starts it. */
  async start() {
    const host = await this.open();
    await this.findDaemon();
    await host.end();
  }

  /** The pid of the daemon that a shim has started, which only mcpd can tell. */
  async findDaemon() {
    this.#pid = JSON.parse(await this.#cli('status', '--json')).pid;
  }

  /** As a host would start it; the daemon runs, or it is started. */
  shim() {
    return new Host(process.execPath, [dist('stdio.cjs')], { env: this.#env, cwd: this.#place.root });
  }

  async open() {
    const host = this.shim();
    await host.initialize();
    return host;
  }

  /** Where it can be reached by HTTP, and by what token. */
  async web() {
    const { port } = JSON.parse(await this.#cli('status', '--json'));
    this.#token ??= JSON.parse(await this.#cli('token', 'add', 'benchmark', '--json')).token;
    return { url: `http://127.0.0.1:${port}/mcp`, token: this.#token };
  }

  toolOf(server, tool) {
    return `${serverName(server)}__${tool}`;
  }

  /** From their next start on, the servers sleep before they read anything. */
  slowDown(ms) {
    writeFileSync(this.#waitFile, String(ms));
  }

  /** From now on all servers start with the daemon. */
  async startAlways() {
    await this.start();
    await inParallel(numbers(this.#servers), (n) => this.#cli('set', serverName(n), '--start', 'always'));
    await this.stop();
  }

  async stop() {
    if (this.#pid !== null) await endProcess(this.#pid, DAEMON_END_MS);
    this.#pid = null;
  }

  get #env() {
    return { ...this.#place.env, MCPD_HOME: this.#home };
  }

  async #cli(...args) {
    const { stdout } = await run(process.execPath, [dist('mcpd.js'), ...args], {
      env: this.#env,
      cwd: this.#place.root,
    });
    return stdout;
  }
}

const numbers = (count) => Array.from({ length: count }, (_, n) => n);

async function inParallel(items, work) {
  const rest = [...items];
  const worker = async () => {
    for (let item = rest.shift(); item !== undefined; item = rest.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: ADDS_AT_ONCE }, worker));
}
