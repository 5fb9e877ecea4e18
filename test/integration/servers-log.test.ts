import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { LOG_FILE_BYTES_MAX, LOG_FILES_KEPT, LOG_LINE_BYTES_MAX } from '../../src/limits.ts';
import { pathsOf } from '../../src/paths.ts';
import { LogFile } from '../../src/servers/log-file.ts';
import type { LogLine } from '../../src/servers/log-lines.ts';
import { readLog } from '../../src/servers/log-reader.ts';
import { maskOf } from '../../src/servers/masking.ts';
import { ServerLog } from '../../src/servers/server-log.ts';
import { fake } from '../harness/fake.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { type BenchOptions, type ProcessBench, processBench } from '../harness/server-processes.ts';
import { until } from '../harness/until.ts';

const MIB = 2 ** 20;
let home: TemporaryHome;
const benches: ProcessBench[] = [];

function bench(options: BenchOptions = {}): ProcessBench {
  const made = processBench(home, options);
  benches.push(made);
  return made;
}

beforeEach(async () => {
  home = await temporaryHome();
});
afterEach(async () => {
  for (const { processes } of benches.splice(0)) await processes.dispose();
  expect(await home.cleanup()).toEqual([]);
});

const line = (text: string, at = Date.now()): LogLine => ({ at, source: 'stderr', level: 'info', text });
const texts = (lines: LogLine[]) => lines.map((one) => one.text);
const logFolder = () => pathsOf(home.mcpdHome).logs;
const onDisk = () => readdirSync(logFolder()).reduce((sum, name) => sum + statSync(join(logFolder(), name)).size, 0);

test('100 MB on stderr in lines are drained, kept within the cap, and cost no memory', async () => {
  const { processes, start, ask } = bench();
  await start('flood', fake('process'));
  await ask('flood', 'flood', { mb: 4, newlines: true });
  const before = process.memoryUsage.rss();
  let top = before;
  let last = '';
  processes.log('flood').follow((one) => {
    last = one.text;
  });
  const timer = setInterval(() => {
    top = Math.max(top, process.memoryUsage.rss());
  }, 20);
  expect(await ask('flood', 'flood', { mb: 100, newlines: true })).toEqual({ done: true });
  clearInterval(timer);
  expect(top - before).toBeLessThan(100 * MIB);
  await until('the last line', () => /^e*00102399$/.test(last));
  await processes.log('flood').flush();
  expect(onDisk()).toBeLessThanOrEqual(LOG_FILES_KEPT * LOG_FILE_BYTES_MAX);
  expect(readdirSync(logFolder()).length).toBeLessThanOrEqual(LOG_FILES_KEPT);
  for (const name of readdirSync(logFolder())) {
    const { size, mode } = statSync(join(logFolder(), name));
    expect(size).toBeLessThanOrEqual(LOG_FILE_BYTES_MAX);
    expect(mode & 0o777).toBe(0o600);
  }
});

test('50 MB on stderr without a newline are drained, and cut with a mark', async () => {
  const { processes, start, ask } = bench();
  await start('endless', fake('process'));
  const before = process.memoryUsage.rss();
  expect(await ask('endless', 'flood', { mb: 50, newlines: false })).toEqual({ done: true });
  expect(process.memoryUsage.rss() - before).toBeLessThan(100 * MIB);
  await ask('endless', 'print', { stderr: '\nthe end\n' });
  const lines = await until('the end', async () => {
    const found = await processes.log('endless').lines({ lines: 100, since: null });
    return found.at(-1)?.text === 'the end' ? found : null;
  });
  const cut = lines.filter((one) => /^e+ … \[cut, \d+ more bytes\]$/.test(one.text));
  const bytes = cut.map((one) => Number(/cut, (\d+)/.exec(one.text)?.[1]) + LOG_LINE_BYTES_MAX);
  expect(bytes.reduce((sum, one) => sum + one, 0)).toBe(50 * MIB);
  expect(onDisk()).toBeLessThan(MIB);
});

test('a prompt without newline is seen, and equal lines are counted', async () => {
  const { processes, start, ask } = bench();
  await start('prompt', fake('process'));
  const seen: string[] = [];
  const stop = processes.log('prompt').follow((one) => seen.push(one.text));
  await ask('prompt', 'print', { stderr: 'same\nsame\nsame\nPassword: ' });
  await until('the prompt', () => seen.includes('Password: '));
  expect(seen).toEqual(['same', '… [the line above 2 times more]', 'Password: ']);
  stop();
  await ask('prompt', 'print', { stderr: '\nlater\n' });
  await until('the later line', async () =>
    texts(await processes.log('prompt').lines({ lines: 9, since: null })).includes('later'),
  );
  expect(seen).not.toContain('later');
});

test('secrets of a server do not reach its log, in no form, nor the tail of its exit report', async () => {
  const { processes, start, ask, exit, tell } = bench({ secrets: { TOKEN: 'sk-0123456789abcdef' } });
  await start('leaky', fake('process'));
  const base64 = Buffer.from('user:sk-0123456789abcdef').toString('base64');
  await ask('leaky', 'print', { stderr: `token sk-0123456789abcdef Basic ${base64}\n` });
  tell('leaky', 'exit', { code: 1 });
  const { stderrTail } = await exit('leaky');
  await processes.log('leaky').flush();
  const log = readFileSync(processes.log('leaky').path, 'utf8');
  for (const text of [log, stderrTail.join()]) {
    expect(text).toContain('token ***');
    expect(text).not.toContain('0123456789');
    expect(text).not.toContain(base64);
  }
});

test('noise on stdout is in the log as such, and is reported with its reason', async () => {
  const { processes, start, of } = bench();
  await start('noisy', [
    '/bin/sh',
    '-c',
    `echo Welcome; printf '%01000d\\n' 7; echo '{"jsonrpc":"2.0"}'; cat >/dev/null`,
  ]);
  await until('all noise', () => of('server-noise').length === 3);
  const lines = await processes.log('noisy').lines({ lines: 10, since: null });
  expect(lines.map((one) => [one.source, one.level])).toEqual(Array.from({ length: 3 }, () => ['stdout', 'warn']));
  expect(lines[0]?.text).toBe('Welcome');
  expect(lines[1]?.text).toMatch(/^\[not-jsonrpc\] |^0+ … \[cut, 488 more bytes\]$/);
  expect(lines[2]?.text).toBe('[not-jsonrpc] {"jsonrpc":"2.0"}');
});

test('past lines are read backwards over rotated files, by number and by time', async () => {
  const path = join(home.root, 'logs', 'x.log');
  const file = new LogFile(path);
  for (let count = 0; count < 30_000; count++) {
    file.append(line(`${count} ${'ü'.repeat(400)}`, count));
    if (count % 500 === 0) await file.idle();
  }
  await file.idle();
  expect(existsSync(`${path}.2`)).toBe(true);
  const last = await readLog(path, { lines: 9_000, since: null });
  expect(last.map((one) => one.at)).toEqual(Array.from({ length: 9_000 }, (_, index) => 21_000 + index));
  expect((await readLog(path, { lines: 9_000, since: 29_990 })).map((one) => one.at)[0]).toBe(29_990);
  expect(await readLog(join(home.root, 'none.log'), { lines: 10, since: null })).toEqual([]);
});

test('half a line in the middle of a log is passed over', async () => {
  const path = join(home.root, 'x.log');
  writeFileSync(path, `${JSON.stringify(line('one'))}\n{"at":12,"sour\n${JSON.stringify(line('two'))}\n{"at":`);
  expect(texts(await readLog(path, { lines: 10, since: null }))).toEqual(['one', 'two']);
});

test('a secret that comes in pieces, with a rest between them, is masked as a whole', async () => {
  const log = new ServerLog(join(home.root, 'x.log'));
  log.maskWith(maskOf(['sk-0123456789abcdef']));
  const stderr = log.stderr();
  for (const piece of ['ready\nkey: s', 'k-0123456', '789abcdef', '; next s', 'ix']) {
    stderr.push(Buffer.from(piece));
    await log.flush(); // what is waiting is told after a while
  }
  stderr.push(Buffer.from('\nlast sk-0'));
  stderr.end();
  expect(texts(await log.lines({ lines: 10, since: null }))).toEqual([
    'ready',
    'key: ',
    '***',
    '; next ',
    'six',
    '', // the end of a line of which all was told
    'last sk-0',
  ]);
  expect(stderr.tail().join()).not.toContain('0123456');
});

test('a log that cannot be written stops nothing, says so, answers from memory, and goes on when it can', async () => {
  const folder = home.folder('full');
  mkdirSync(join(folder, 'x.log')); // a folder in its place fails every open, for root too
  const log = new ServerLog(join(folder, 'x.log'));
  log.lifecycle('info', 'first');
  await log.flush();
  log.lifecycle('info', 'second');
  expect(log.finding()).toMatch(/^its log cannot be written: EISDIR/);
  expect(texts(await log.lines({ lines: 10, since: null }))).toEqual(['first', 'second']);
});

test('lines that come faster than the disk takes them are dropped and counted', async () => {
  const path = join(home.root, 'x.log');
  const file = new LogFile(path);
  const long = 'x'.repeat(16_000);
  for (let count = 0; count < 1000; count++) file.append(line(`${count} ${long}`));
  await file.idle();
  const lines = await readLog(path, { lines: 2000, since: null });
  const lost = Number(/^\[(\d+) lines were not written/.exec(lines.at(-1)?.text ?? '')?.[1]);
  expect(lost).toBeGreaterThan(900);
  expect(lines.length - 1 + lost).toBe(1000);
  expect(file.finding()).toBeNull();
});

test('a symbolic link in the place of a log is not followed', async () => {
  const { symlinkSync } = await import('node:fs');
  const target = join(home.root, 'target');
  writeFileSync(target, '');
  chmodSync(target, 0o644);
  symlinkSync(target, join(home.root, 'x.log'));
  const log = new ServerLog(join(home.root, 'x.log'));
  log.lifecycle('info', 'text');
  await log.flush();
  expect(readFileSync(target, 'utf8')).toBe('');
  expect(log.finding()).toMatch(/ELOOP/);
});

test('the log of a server that is removed goes with its older files', async () => {
  const { processes } = bench();
  processes.log('old').lifecycle('info', 'text');
  await processes.log('old').flush();
  writeFileSync(`${processes.log('old').path}.1`, '');
  await processes.deleteLog('old');
  expect(readdirSync(logFolder())).toEqual([]);
});
