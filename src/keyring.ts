import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { KEYRING_ANSWER_CHARS_MAX, KEYRING_ANSWER_MS, KEYRING_PROMPT_MS } from './operation-limits.ts';
import { packageRoot } from './package-root.ts';

/** The system's keyring. Each question is a process of its own (src/keyring-program.ts), which is ended when it takes too long. */
export interface Keyring {
  /** Null when it has nothing under that name. @throws KeyringFault */
  get(account: string): Promise<string | null>;
  /** @throws KeyringFault */
  set(account: string, value: string): Promise<void>;
  /** @throws KeyringFault */
  remove(account: string): Promise<void>;
}

/** It is not there, is locked, or does not answer in time. Says why, without any value. */
export class KeyringFault extends Error {}

interface KeyringOptions {
  /** The program and its arguments. */
  command?: readonly [string, ...string[]];
  env?: NodeJS.ProcessEnv;
  /** Milliseconds: `get` may wait for a person who unlocks it. */
  promptMs?: number;
  answerMs?: number;
}

/** Asks nothing until it is used. */
export function systemKeyring({
  command,
  env = process.env,
  promptMs = KEYRING_PROMPT_MS,
  answerMs = KEYRING_ANSWER_MS,
}: KeyringOptions = {}): Keyring {
  const ask = (request: object, waitMs: number) =>
    asked(command ?? ownProgram(), env, { service: SERVICE, ...request }, waitMs);
  return {
    get: (account) => ask({ do: 'get', account }, promptMs),
    set: async (account, value) => void (await ask({ do: 'set', account, value }, answerMs)),
    remove: async (account) => void (await ask({ do: 'remove', account }, answerMs)),
  };
}

// — internal —

const SERVICE = 'mcpd';

function ownProgram(): readonly [string, ...string[]] {
  return [process.execPath, join(packageRoot(), 'dist', 'keyring.js')];
}

function asked(
  [program, ...args]: readonly [string, ...string[]],
  env: NodeJS.ProcessEnv,
  request: object,
  waitMs: number,
): Promise<string | null> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['pipe', 'pipe', 'ignore'], windowsHide: true });
    let output = '';
    const settle = (end: () => void) => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      end();
    };
    const fail = (why: string) => settle(() => reject(new KeyringFault(why)));
    const timer = setTimeout(() => fail(`it did not answer within ${waitMs / 1000} s`), waitMs);
    timer.unref();
    child.on('error', (error) => fail(error.message));
    child.stdin.on('error', () => undefined); // it has ended, and `close` tells
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.length > KEYRING_ANSWER_CHARS_MAX) fail('its answer is too long');
      if (!output.includes('\n')) return;
      const answer = readAnswer(output);
      if ('fault' in answer) fail(answer.fault);
      else settle(() => resolve(answer.value));
    });
    child.on('close', (code, signal) => fail(`the program that asks it ended (${signal ?? code}) without an answer`));
    child.stdin.write(`${JSON.stringify(request)}\n`);
    child.unref();
  });
}

function readAnswer(output: string): { value: string | null } | { fault: string } {
  let answer: { value?: unknown; fault?: unknown };
  try {
    answer = JSON.parse(output);
  } catch {
    return { fault: 'the program that asks it gave no answer that mcpd understands' };
  }
  if (typeof answer.fault === 'string') return { fault: answer.fault };
  return { value: typeof answer.value === 'string' ? answer.value : null };
}
