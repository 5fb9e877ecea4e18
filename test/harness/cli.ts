import { spawn } from 'node:child_process';

/** A limit against hanging, not a proof of speed. */
const CLI_TIMEOUT_MS = 60_000;

export interface Ran {
  code: number | null;
  stdout: string;
  stderr: string;
  // biome-ignore lint/suspicious/noExplicitAny: what a test expects of the JSON is what it says
  json: any;
}

export interface RunOptions {
  env: NodeJS.ProcessEnv;
  cwd: string;
  input?: string;
  timeoutMs?: number;
}

/** Runs a program to its end. @throws {Error} it does not end; what it said so far is in the message */
export function run(command: readonly string[], options: RunOptions): Promise<Ran> {
  const [program = '', ...args] = command;
  const { timeoutMs = CLI_TIMEOUT_MS } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env: options.env, cwd: options.cwd, stdio: ['pipe', 'pipe', 'pipe'] });
    const said = { stdout: '', stderr: '' };
    for (const end of ['stdout', 'stderr'] as const) {
      child[end].setEncoding('utf8').on('data', (text: string) => {
        said[end] += text;
      });
    }
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`${args.join(' ')} did not end within ${timeoutMs} ms\n${said.stdout}\n${said.stderr}`));
    }, timeoutMs);
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({
        code,
        ...said,
        get json() {
          return JSON.parse(said.stdout);
        },
      });
    });
    // A program that has not read its input may be gone.
    child.stdin.on('error', () => undefined);
    child.stdin.end(options.input ?? '');
  });
}
