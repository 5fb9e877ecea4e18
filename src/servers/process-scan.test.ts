import { expect, test } from 'vitest';
import { markerIn, parsePs, parsePsMarkers, parseStat } from './process-scan.ts';

const STAT =
  '4711 (odd) name (x) S 12 4711 4711 0 -1 4194560 2190 0 3 0 5 1 0 0 20 0 11 0 987654 1234567 300 18446744073709551615 1 1 0';

test('a process name with blanks and brackets does not shift the fields', () => {
  expect(parseStat(STAT, 4096)).toEqual({
    pid: 4711,
    ppid: 12,
    pgid: 4711,
    startTime: '987654',
    zombie: false,
    rssBytes: 300 * 4096,
    cpuMs: 60,
  });
});

test('zombies are told apart, and a cut line is no process', () => {
  expect(parseStat(STAT.replace(') S ', ') Z '), 4096)?.zombie).toBe(true);
  expect(parseStat('4711 (node) S 12 4711', 4096)).toBeNull();
  expect(parseStat('', 4096)).toBeNull();
});

test('the marker is found first, in the middle and last, and only as a name of its own', () => {
  const block = (...lines: string[]) => Buffer.from(lines.map((line) => `${line}\0`).join(''));
  expect(markerIn(block('MCPD_INSTANCE=a:b:c:1', 'HOME=/x'))).toBe('a:b:c:1');
  expect(markerIn(block('HOME=/x', 'MCPD_INSTANCE=a:b:c:1', 'PATH=/y'))).toBe('a:b:c:1');
  expect(markerIn(Buffer.from('HOME=/x\0MCPD_INSTANCE=a:b:c:1'))).toBe('a:b:c:1');
  expect(markerIn(block('NOT_MCPD_INSTANCE=a', 'X=MCPD_INSTANCE=b'))).toBeNull();
  expect(markerIn(Buffer.alloc(0))).toBeNull();
});

test('rows of ps carry the start time as words, the size in KiB and the processor time by the clock', () => {
  const text =
    '    1     0     1 Ss    10240 1:02.50 Mon Nov 30 20:02:11 2026    \n  512     1   512 Z+        0 1-02:00:01 Tue Dec  1 08:00:00 2026\n\n';
  expect(parsePs(text, new Map([[1, 'm']]))).toEqual([
    {
      pid: 1,
      ppid: 0,
      pgid: 1,
      startTime: 'Mon Nov 30 20:02:11 2026',
      zombie: false,
      rssBytes: 10240 * 1024,
      cpuMs: 62_500,
      marker: 'm',
    },
    {
      pid: 512,
      ppid: 1,
      pgid: 512,
      startTime: 'Tue Dec  1 08:00:00 2026',
      zombie: true,
      rssBytes: 0,
      cpuMs: 26 * 3_600_000 + 1000,
      marker: null,
    },
  ]);
});

test('markers are read from the environment that ps shows behind a command', () => {
  const text = '  10 node server.js HOME=/x MCPD_INSTANCE=a:b:c:1 PATH=/y\n  11 sh -c true HOME=/x\n';
  expect(parsePsMarkers(text)).toEqual(new Map([[10, 'a:b:c:1']]));
});
