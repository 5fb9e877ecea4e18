import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, createApi } from '../../src/api/listen.ts';
import { keptToken } from '../../src/api/token.ts';
import { insideHome, prepareHome } from '../../src/home.ts';
import type { CallbackPage } from '../../src/oauth-callback.ts';
import { type Paths, pathsOf } from '../../src/paths.ts';
import { PlainControl } from './plain-control.ts';

export interface ListeningApi {
  api: Api;
  control: PlainControl;
  paths: Paths;
  token: string;
  port: number;
  close(): Promise<void>;
}

/** Answers browsers that come back, whatever they bring. */
export async function callback(target: string): Promise<CallbackPage> {
  return { status: 200, html: `<p>came back with ${target.length} characters</p>` };
}

/** What `mcpd telemetry token` would have made. */
const SCRAPE_TOKEN = 'S'.repeat(43);

/** A control API that listens in a home of its own, with a one-line dashboard. */
export async function listeningApi(options: { port?: number; servers?: string[] } = {}): Promise<ListeningApi> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mcpd-api-')));
  const paths = pathsOf(join(root, 'home'));
  prepareHome(paths.home, { probe: false });
  const assets = join(root, 'page');
  mkdirSync(assets);
  writeFileSync(join(assets, 'index.html'), '<!doctype html><title>mcpd</title>');
  const control = new PlainControl(...(options.servers ?? ['weather', 'todo']));
  const token = keptToken(paths.token);
  const { home, apiSocket: socket } = paths;
  const scrapeToken = () => SCRAPE_TOKEN;
  const port = options.port ?? 0;
  const api = createApi({ control, home, socket, token, scrapeToken, port, assets, callback, front: null });
  await api.listen();
  const close = async () => {
    await api.close();
    rmSync(root, { recursive: true, force: true });
  };
  return { api, control, paths, token, port: api.port() ?? 0, close };
}

export interface Answer {
  /** 0 when the connection was closed without an answer. */
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface Question {
  method?: string;
  headers?: Record<string, string | string[]>;
  body?: string | Buffer;
}

/** One request over TCP, with exactly these headers beside `host`. */
export function askWeb(port: number, path: string, question: Question = {}): Promise<Answer> {
  const headers = { host: `127.0.0.1:${port}`, ...question.headers };
  return ask({ agent: false, host: '127.0.0.1', port, path, method: question.method ?? 'GET', headers }, question.body);
}

/** One request over the socket of a home. */
export function askLocal(paths: Paths, path: string, question: Question = {}): Promise<Answer> {
  const socket = insideHome(paths.home, () => connect(paths.apiSocket));
  const headers = { host: 'mcpd', ...question.headers };
  return ask({ createConnection: () => socket, path, method: question.method ?? 'GET', headers }, question.body);
}

/** Raw bytes over TCP; resolves with everything that came back until the other side closed. */
export function sendRaw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve) => {
    let text = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('data', (data) => {
      text += data.toString('latin1');
    });
    // A refused request may end in a reset; what came before it counts.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
  });
}

export const JSON_TYPE = { 'content-type': 'application/json' };

// — internal —

function ask(options: object, body: string | Buffer | undefined): Promise<Answer> {
  return new Promise((resolve) => {
    const request = httpRequest(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('close', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }));
      response.on('error', () => undefined); // cut off: `close` follows
    });
    request.on('error', () => resolve({ status: 0, headers: {}, text: '' }));
    request.end(body);
  });
}
