import { describe, expect, it } from 'vitest';
import type { LogLine } from '../../../../src/api/contract.ts';
import { fileOf, isKnown, LOG_CHARS_MAX, LOG_LINES_MAX, type LogFilters, LogRing, partsOf } from './log-ring.ts';

const ALL: LogFilters = { words: '', level: 'all', source: 'all', protocol: false };
const LIVE: Parameters<LogRing['lines']>[0] = { upTo: null, isHeld: false };

const line = (text: string, other: Partial<LogLine> = {}): LogLine => ({
  at: 1_000,
  source: 'stderr',
  level: 'info',
  text,
  ...other,
});

const ringOf = (lines: LogLine[], filters = ALL) => {
  const ring = new LogRing(filters);
  for (const one of lines) ring.push(one);
  return ring;
};

const textsOf = (ring: LogRing, view = LIVE) => ring.lines(view).map(({ text }) => text);

describe('the log that the page keeps', () => {
  it('shows what is asked for by words, level and source, also of lines that came before', () => {
    const ring = ringOf([
      line('listening on 80'),
      line('Connection LOST'),
      line('exit code 1', { source: 'lifecycle', level: 'error' }),
      line('noise', { source: 'stdout', level: 'warn' }),
    ]);
    ring.filterBy({ ...ALL, words: 'lost' });
    expect(textsOf(ring)).toEqual(['Connection LOST']);
    ring.push(line('lost again'));
    expect(textsOf(ring)).toEqual(['Connection LOST', 'lost again']);
    ring.filterBy({ ...ALL, level: 'warn' });
    expect(textsOf(ring)).toEqual(['exit code 1', 'noise']);
    ring.filterBy({ ...ALL, source: 'stdout' });
    expect(textsOf(ring)).toEqual(['noise']);
  });

  it('shows messages of the protocol while they are wanted, found and chosen as other lines are', () => {
    const ring = ringOf([
      line('listening'),
      line('→ request tools/call forecast', { source: 'protocol' }),
      line('← error -32602 tools/call forecast', { source: 'protocol', level: 'error' }),
    ]);
    expect(textsOf(ring)).toEqual(['listening']);
    ring.filterBy({ ...ALL, protocol: true });
    expect(textsOf(ring)).toHaveLength(3);
    ring.filterBy({ ...ALL, protocol: true, words: 'request' });
    expect(textsOf(ring)).toEqual(['→ request tools/call forecast']);
    ring.filterBy({ ...ALL, protocol: true, level: 'error' });
    expect(textsOf(ring)).toEqual(['← error -32602 tools/call forecast']);
    ring.filterBy({ ...ALL, protocol: true, source: 'protocol' });
    expect(textsOf(ring)).toHaveLength(2);
  });

  it('takes no line twice when it is read on, whatever kinds of lines come then', () => {
    const known = [line('told', { source: 'protocol' }), line('printed'), line('printed')];
    expect(isKnown(known, line('printed'))).toBe(true);
    expect(isKnown(known, line('printed', { at: 2 }))).toBe(false);
    expect(isKnown(known, line('printed'))).toBe(true);
    expect(isKnown(known, line('printed'))).toBe(false);
  });

  it('keeps the newest lines, and no more than it may', () => {
    const ring = ringOf(Array.from({ length: LOG_LINES_MAX + 5 }, (_, at) => line(`line ${at}`)));
    const texts = textsOf(ring);
    expect(texts).toHaveLength(LOG_LINES_MAX);
    expect([texts[0], texts.at(-1)]).toEqual(['line 5', `line ${LOG_LINES_MAX + 4}`]);
  });

  it('keeps fewer lines when they are long', () => {
    const long = 'x'.repeat(LOG_CHARS_MAX / 4);
    const ring = ringOf([line(long), line(long), line(long), line(long), line('last')]);
    expect(ring.lines(LIVE)).toHaveLength(4);
    expect(textsOf(ring).at(-1)).toBe('last');
  });

  it('lets nothing go from under the eyes of who reads further up, until there is twice as much', () => {
    const ring = ringOf(Array.from({ length: LOG_LINES_MAX + 5 }, (_, at) => line(`line ${at}`)));
    const held = { upTo: null, isHeld: true };
    expect(textsOf(ring, held)[0]).toBe('line 0');
    for (let at = 0; at < LOG_LINES_MAX; at++) ring.push(line('more'));
    expect(ring.size).toBeLessThanOrEqual(2 * LOG_LINES_MAX);
    expect(textsOf(ring, held)[0]).not.toBe('line 0');
  });

  it('stays bounded while nobody draws, and when nothing matches', () => {
    const ring = new LogRing({ ...ALL, words: 'never' });
    for (let at = 0; at < 5 * LOG_LINES_MAX; at++) ring.push(line('another'));
    expect(ring.size).toBeLessThanOrEqual(2 * LOG_LINES_MAX);
    expect(ring.lines(LIVE)).toEqual([]);
  });

  it('shows nothing newer than the pause, whatever is searched for', () => {
    const ring = ringOf([line('one'), line('two')]);
    const paused = { upTo: ring.lastSeq, isHeld: true };
    ring.push(line('two and a half'));
    ring.filterBy({ ...ALL, words: 'two' });
    expect(textsOf(ring, paused)).toEqual(['two']);
    expect(textsOf(ring)).toEqual(['two', 'two and a half']);
  });

  it('knows the lines of its newest moment, with which a log that is read on begins', () => {
    const ring = ringOf([line('a', { at: 1 }), line('b', { at: 2 }), line('c', { at: 2 })]);
    expect(ring.lastMoment().map(({ text }) => text)).toEqual(['b', 'c']);
    expect(new LogRing(ALL).lastMoment()).toEqual([]);
  });
});

describe('text of a log', () => {
  it('is taken apart around what was searched for, in any case', () => {
    expect(partsOf('Error: no error', 'error')).toEqual(['', 'Error', ': no ', 'error', '']);
    expect(partsOf('fine', 'error')).toEqual(['fine']);
    expect(partsOf('fine', '')).toEqual(['fine']);
  });

  it('is left whole where small letters have another length', () => {
    expect(partsOf('İstanbul error', 'error')).toEqual(['İstanbul error']);
  });

  it('is saved one line each', () => {
    expect(fileOf([line('up', { at: 0 }), line('down', { at: 1, level: 'error' })])).toBe(
      '1970-01-01T00:00:00.000Z stderr info up\n1970-01-01T00:00:00.001Z stderr error down\n',
    );
  });
});
