import { expect, test } from 'vitest';
import type { RecordingState } from '../api/contract/recordings.ts';
import { LostRecordings } from './lost-recordings.ts';

/** The disk, and daemons one after another. */
function given(text: string | null = null) {
  const disk = { text };
  const daemon = () =>
    new LostRecordings({
      read: () => disk.text,
      write: (next) => {
        disk.text = next;
      },
    });
  return { disk, daemon };
}

const state = (server: string, more: Partial<RecordingState> = {}): RecordingState => ({
  ...{ server, on: true, startedAt: 100, endsAt: 900, frames: 0, bytes: 0, firstSeq: 0, lastSeq: 0, dropped: 0 },
  ...{ droppedForOthers: 0, framesMax: 1, bytesMax: 1, lost: null },
  ...more,
});

test('of a daemon that is killed the next one knows what was recorded, not how much', () => {
  const { daemon } = given();
  const first = daemon();
  first.note(state('weather'));
  first.note(state('todo', { on: false, endsAt: null, frames: 3 }));
  expect(first.of('weather')).toBeNull();
  const next = daemon();
  expect(next.servers()).toEqual(['weather', 'todo']);
  expect(next.of('weather')).toEqual({ startedAt: 100, endsAt: 900, endedAt: null, frames: null });
  expect(next.of('todo')).toEqual({ startedAt: 100, endsAt: null, endedAt: null, frames: null });
});

test('one that ends in order leaves how many messages it took along, and nothing of what was empty', () => {
  const { daemon } = given();
  const first = daemon();
  for (const server of ['weather', 'todo']) first.note(state(server));
  const ends = [state('weather', { frames: 7 }), state('todo', { on: false, endsAt: null })];
  first.ending(ends, 500);
  const next = daemon();
  expect(next.of('weather')).toEqual({ startedAt: 100, endsAt: 900, endedAt: 500, frames: 7 });
  expect(next.of('todo')).toBeNull();
});

test('nothing is on the disk while nothing can be lost', () => {
  const { disk, daemon } = given();
  const first = daemon();
  first.note(state('weather'));
  first.note(state('weather', { on: false, endsAt: null }));
  expect(disk.text).toBeNull();
});

test('what was lost is told over further ends, until it is dismissed or recorded again', () => {
  const { disk, daemon } = given();
  const first = daemon();
  for (const server of ['weather', 'todo']) first.note(state(server));
  daemon().note(state('other'));
  const third = daemon();
  expect(third.servers()).toEqual(['weather', 'todo', 'other']);
  third.note(state('weather', { startedAt: 700 }));
  expect([third.of('weather'), daemon().of('weather')?.startedAt]).toEqual([null, 700]);
  for (const server of ['todo', 'other']) third.dismiss(server);
  third.note(state('weather', { on: false, endsAt: null }));
  expect(disk.text).toBeNull();
});

test.each(['', 'null', '[1]', '7', '{"weather":1}', '{"weather":{"startedAt":"x"}}', '{"weather":null}'])(
  'what something else wrote says nothing: %s',
  (text) => {
    expect(given(text).daemon().servers()).toEqual([]);
  },
);
