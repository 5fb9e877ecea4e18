import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test as plainTest } from 'vitest';
import { DaemonClient } from '../../src/control/client.ts';
import { findDaemon } from '../../src/control/ensure-daemon.ts';
import type { ServerStatus } from '../../src/core/model.ts';
import { pathsOf } from '../../src/paths.ts';
import { type Ran, run } from './cli.ts';
import { fake, type RecordLine, recordsIn } from './fake.ts';
import { type TemporaryHome, temporaryHome } from './home.ts';
import { Host, type HostOptions } from './host.ts';
import { connectOfficial, type OfficialClient, type OfficialHost, type OfficialOptions } from './official.ts';
import { commandLineOf, gone } from './processes.ts';
import { until } from './until.ts';

const LEAVING_MS = 20_000;

/** A person's machine with mcpd installed and nothing of it running: an empty home, a terminal, and hosts. */
export class Machine {
  readonly home: TemporaryHome;
  /** The folder of the installed package. */
  readonly package: string;
  private readonly hosts: Host[] = [];
  private readonly officials: OfficialHost[] = [];
  private token: Promise<{ token: string }> | undefined;

  constructor(home: TemporaryHome, installed = inject('installedPackage')) {
    this.home = home;
    this.package = installed;
  }

  /** `mcpd ARGS` in a terminal of this machine. */
  cli(...args: string[]): Promise<Ran> {
    return this.cliWith({}, ...args);
  }

  cliWith(options: { env?: NodeJS.ProcessEnv; cwd?: string; input?: string; package?: string }, ...args: string[]) {
    const { env, cwd = this.home.userHome, input = '' } = options;
    const program = join(options.package ?? this.package, 'dist', 'mcpd.js');
    return run([process.execPath, program, ...args], { env: { ...this.home.env, ...env }, cwd, input });
  }

  /** As `cli`, for what must succeed. Gives the JSON when `--json` was asked for. @throws {Error} another exit code than 0 */
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of the JSON is what it says
  async ok(...args: string[]): Promise<any> {
    const ran = await this.cli(...args);
    if (ran.code !== 0) throw new Error(`mcpd ${args.join(' ')} ended with ${ran.code}\n${ran.stdout}\n${ran.stderr}`);
    return args.includes('--json') ? ran.json : ran.stdout;
  }

  /** Adds a fake server of test/servers; options of `mcpd add` come first, the rest goes to the fake. */
  async add(
    name: string,
    program: string,
    args: readonly string[] = [],
    options: readonly string[] = [],
  ): Promise<void> {
    await this.ensureDaemon();
    await this.ok('add', name, '--env', `RECORD_FILE=${this.recordFile}`, ...options, '--', ...fake(program, ...args));
  }

  /** Registers fake servers without starting them, all at once. */
  async declare(servers: Record<string, { command: readonly string[]; [setting: string]: unknown }>): Promise<void> {
    await this.ensureDaemon();
    const file = join(this.home.root, 'declared.json');
    const entries = Object.entries(servers).map(
      ([
        name,
        {
          command: [command, ...args],
          ...settings
        },
      ]) => [name, { command, args, env: { RECORD_FILE: this.recordFile }, ...settings }],
    );
    writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(entries) }));
    await this.ok('apply', '-f', file);
  }

  /** The command of the host entry. */
  get stdio(): [string, ...string[]] {
    return [process.execPath, join(this.package, 'dist', 'stdio.cjs')];
  }

  /** A host that has started its `mcpd stdio`, and said nothing yet. `name` is how it calls itself. */
  host({ name, ...options }: HostOptions & { name?: string } = {}): Host {
    const host = new Host([...this.stdio, ...(name === undefined ? [] : ['--host', name])], {
      ...options,
      env: { ...this.home.env, ...options.env },
    });
    this.hosts.push(host);
    this.home.track(host.pid);
    return host;
  }

  /** A host that has shaken hands. */
  async connected(options: HostOptions & { name?: string } = {}): Promise<Host> {
    const host = this.host(options);
    await host.init();
    return host;
  }

  /** An endpoint of the daemon's HTTP door, and a token for all hosts of this machine. */
  async httpPlace(path: string): Promise<{ url: string; token: string }> {
    this.token ??= this.ok('token', 'add', 'test-host', '--json');
    return { url: `http://127.0.0.1:${this.home.port}${path}`, token: (await this.token).token };
  }

  async official(which: OfficialClient): Promise<OfficialHost> {
    const host = await connectOfficial(which, this.stdio, { env: this.home.env, cwd: this.home.userHome });
    this.officials.push(host);
    return host;
  }

  /** The same by HTTP; `path` is behind the address of mcpd. */
  async officialByHttp(which: OfficialClient, path = '/mcp', model?: OfficialOptions['model']): Promise<OfficialHost> {
    const entrance = { ...(await this.httpPlace(path)), sse: path.endsWith('/sse') };
    const host = await connectOfficial(which, entrance, model === undefined ? {} : { model });
    this.officials.push(host);
    return host;
  }

  /** Starts a daemon that nobody keeps: quicker than through pm2. `through` is a program that gets its command line. */
  async startDaemon(through: readonly string[] = []): Promise<number> {
    const own = [process.execPath, join(this.package, 'dist', 'mcpd.js'), 'daemon', 'run'];
    const [command = process.execPath, ...args] = [...through, ...own];
    const child = spawn(command, args, {
      env: this.home.env,
      cwd: this.home.userHome,
      detached: true,
      stdio: 'ignore',
    });
    this.home.track(child.pid);
    return until('the daemon to answer', () => this.daemonPid());
  }

  private async ensureDaemon(): Promise<void> {
    if (!existsSync(join(this.home.mcpdHome, 'daemon.json'))) await this.startDaemon();
  }

  /** The pid of the daemon that answers, or null. */
  async daemonPid(): Promise<number | null> {
    return (await findDaemon(pathsOf(this.home.mcpdHome)))?.status().then(({ pid }) => pid) ?? null;
  }

  /** The pid that the running daemon wrote down. @throws none runs */
  get writtenPid(): number {
    return (JSON.parse(readFileSync(join(this.home.mcpdHome, 'daemon.json'), 'utf8')) as { pid: number }).pid;
  }

  /** `kill -9` of the daemon. Resolves when it is gone. */
  async killDaemon(): Promise<void> {
    const pid = this.writtenPid;
    process.kill(pid, 'SIGKILL');
    await gone(pid);
  }

  /** What `mcpd list --json` prints, without a process for each look. */
  servers(): Promise<ServerStatus[]> {
    return new DaemonClient(pathsOf(this.home.mcpdHome)).request('GET', '/api/servers');
  }

  async server(name: string): Promise<ServerStatus> {
    const list = await this.servers();
    const found = list.find((server) => server.name === name);
    if (found === undefined) throw new Error(`${name} is not among ${list.map((server) => server.name)}`);
    return found;
  }

  /** Waits until the server is in that state. */
  async reaches(name: string, state: ServerStatus['state'], timeoutMs?: number): Promise<ServerStatus> {
    return until(
      `${name} to be ${state}`,
      async () => {
        const server = await this.server(name);
        if (server.state !== state) throw new Error(`${server.state}: ${server.reason}`);
        return server;
      },
      timeoutMs,
    );
  }

  /** Waits until mcpd has read the lists of these servers. */
  async listed(...names: string[]): Promise<void> {
    await until(`the lists of ${names}`, async () => {
      const list = await this.servers();
      return names.every((name) => list.find((server) => server.name === name)?.listed);
    });
  }

  /** Where the fake servers of this machine record. */
  get recordFile(): string {
    return join(this.home.root, 'records');
  }

  records(what?: string): RecordLine[] {
    return recordsIn(this.recordFile, what);
  }

  /** Ends everything as a person would, and proves that nothing stays. */
  async end(): Promise<void> {
    for (const host of this.officials) await host.close();
    await Promise.all(this.hosts.map((host) => host.close()));
    let down: Ran | undefined;
    const left = () => this.home.processes().map((pid) => `${pid} ${commandLineOf(pid)}`);
    try {
      down = await this.cli('down', '--now');
      // Somebody may be on his way out.
      await until('everything to be gone', () => left().length === 0, LEAVING_MS).catch(() => undefined);
    } finally {
      const stayed = left();
      await this.home.cleanup();
      expect(stayed, 'no process stays after mcpd down').toEqual([]);
    }
    expect([down.code, down.stderr], 'mcpd down').toEqual([0, '']);
  }
}

/** A test on a machine of its own, which must be as empty after it as before. */
export const test = plainTest.extend<{ machine: Machine }>({
  // biome-ignore lint/correctness/noEmptyPattern: vitest reads from the pattern what a fixture needs
  machine: async ({}, use) => {
    const machine = new Machine(await temporaryHome());
    await use(machine);
    await machine.end();
  },
});
