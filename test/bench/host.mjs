import { spawn } from 'node:child_process';
import { joined, lineSplitter } from './line-splitter.mjs';

const PROTOCOL_VERSION = '2025-06-18';
/** As most servers write it. Any other answer is parsed, unless it is long. */
const RESULT_HEAD = /^\{"jsonrpc":"2\.0","id":(\d+),"result":/;
const RESULT_TAIL = /^\{"result":.*,"id":(\d+)\}$/s;
const END_BYTES = 64;
const PARSED_BYTES_MAX = 1024 * 1024;
/** From the end of stdin to SIGKILL. */
const END_MS = 3000;

/**
 * A host that costs little: it writes requests, finds whole lines in what comes back, and looks at their ends only. An answer that is an
 * error, or that nobody asked for, ends the measurement.
 */
export class Host {
  #child;
  #open = new Map();
  #lastId = 0;
  #said = '';
  #ending = false;
  /** Resolves when the process has ended. */
  ended;

  constructor(command, args, { env, cwd }) {
    this.#child = spawn(command, args, { env, cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    const { stdin, stdout, stderr } = this.#child;
    const split = lineSplitter((pieces) => this.#hear(pieces));
    stdout.on('data', (chunk) => {
      // What the answers of one chunk lead to is written at once.
      stdin.cork();
      split(chunk);
      stdin.uncork();
    });
    stderr.on('data', (chunk) => {
      this.#said = (this.#said + chunk).slice(-2000);
    });
    stdin.on('error', (error) => this.#failAll(`stdin: ${error.message}`));
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code, signal) => {
        if (!this.#ending) this.#failAll(`ended with ${signal ?? code}: ${this.#said}`);
        resolve();
      });
    });
  }

  get pid() {
    return this.#child.pid;
  }

  /** Calls `done(pieces)` with the line of the answer; `failed(error)` if there is none. */
  start(method, params, done, failed) {
    const id = ++this.#lastId;
    this.#open.set(id, { done, failed });
    this.#child.stdin.write(JSON.stringify({ jsonrpc: '2.0', id, method, params }).concat('\n'));
  }

  /** The pieces of the line that answers. */
  ask(method, params) {
    return new Promise((resolve, reject) => this.start(method, params, resolve, reject));
  }

  call(name, args) {
    return this.ask('tools/call', { name, arguments: args });
  }

  async initialize() {
    const clientInfo = { name: 'benchmark', version: '1.0.0' };
    await this.ask('initialize', { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo });
    this.#child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  }

  async tools() {
    const pieces = await this.ask('tools/list', {});
    return JSON.parse(joined(pieces).toString()).result.tools;
  }

  /** From now on it does not read what is written to it. */
  stopReading() {
    this.#child.stdout.pause();
  }

  /** Ends the process: by the end of its stdin, or by SIGKILL after END_MS. */
  async end() {
    this.#ending = true;
    this.#child.stdin.end();
    this.#child.stdout.resume();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await this.ended;
    clearTimeout(timer);
  }

  kill() {
    this.#ending = true;
    this.#child.kill('SIGKILL');
    return this.ended;
  }

  #hear(pieces) {
    const first = pieces[0];
    const head = RESULT_HEAD.exec(first.latin1Slice(0, Math.min(END_BYTES, first.length)));
    const id = head === null ? idOfUnusual(pieces) : Number(head[1]);
    const asked = this.#open.get(id);
    if (asked === undefined) return;
    this.#open.delete(id);
    if (head === null && isError(pieces))
      asked.failed(new Error(`refused: ${joined(pieces).toString().slice(0, 500)}`));
    else asked.done(pieces);
  }

  #failAll(why) {
    const waiting = [...this.#open.values()];
    this.#open.clear();
    for (const { failed } of waiting) failed(new Error(`pid ${this.pid} ${why}`));
  }
}

function idOfUnusual(pieces) {
  const line = joined(pieces);
  if (line.length > PARSED_BYTES_MAX) {
    const ends = line.latin1Slice(0, END_BYTES) + line.latin1Slice(line.length - END_BYTES);
    return Number(RESULT_TAIL.exec(ends)?.[1]);
  }
  return JSON.parse(line.toString()).id;
}

function isError(pieces) {
  const line = joined(pieces);
  return line.length <= PARSED_BYTES_MAX && 'error' in JSON.parse(line.toString());
}
