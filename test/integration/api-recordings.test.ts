import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RecordedFrames, Recording } from '../../src/api/contract/recordings.ts';
import { type Answer, askLocal, askWeb, JSON_TYPE, type ListeningApi, listeningApi } from '../harness/listening-api.ts';

/** A soft hyphen and a tag character: unseen in a page, and both are whole characters of JSON. */
const HOSTILE = 'so\u00adft \u{e0041} \u202e text';

let here: ListeningApi;
let signed: Record<string, string>;
beforeEach(async () => {
  here = await listeningApi();
  signed = { authorization: `Bearer ${here.token}` };
});
afterEach(() => here.close());

const path = '/api/servers/weather/recording';
const post = (to: string, body: object): Promise<Answer> =>
  askWeb(here.port, to, { method: 'POST', headers: { ...signed, ...JSON_TYPE }, body: JSON.stringify(body) });

function says(text: string): void {
  here.control.plainRecordings.recorder.passed({
    server: 'weather',
    instance: 'weather',
    generation: 1,
    direction: 'from-server',
    message: [Buffer.from(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { data: text } }))],
  });
}

test('a page switches it on and off, reads on from where it was, and clears it', async () => {
  expect(JSON.parse((await askWeb(here.port, path, { headers: signed })).text)).toMatchObject({ on: false });
  expect(JSON.parse((await post(path, { on: true, forMs: 60_000 })).text)).toMatchObject({ on: true, frames: 0 });
  for (const text of ['one', 'two', 'three']) says(text);
  const frames = async (query: string): Promise<RecordedFrames> =>
    JSON.parse((await askWeb(here.port, `${path}/frames${query}`, { headers: signed })).text);
  expect(await frames('?limit=2')).toMatchObject({ more: true, frames: [{ seq: 1 }, { seq: 2 }] });
  expect(await frames('?after=2')).toMatchObject({ more: false, frames: [{ seq: 3 }] });
  expect(JSON.parse((await post(path, { on: false })).text)).toMatchObject({ on: false, frames: 3 });
  const cleared = await askWeb(here.port, path, { method: 'DELETE', headers: signed });
  expect(JSON.parse(cleared.text)).toMatchObject({ frames: 0 });
});

test('a page replays, and gets the events as lines', async () => {
  const { text, headers } = await post(`${path}/replay`, {});
  expect(headers['content-type']).toContain('application/x-ndjson');
  expect(JSON.parse(text)).toMatchObject({ type: 'done' });
});

test('frames are safe to show in a page, and a file has them as they were on both ways', async () => {
  await post(path, { on: true });
  says(HOSTILE);
  const shown = (await askWeb(here.port, `${path}/frames`, { headers: signed })).text;
  expect(shown).not.toMatch(/[\u00ad\u202e]/);
  for (const answer of [
    await askWeb(here.port, `${path}/file`, { headers: signed }),
    await askLocal(here.paths, `${path}/file`),
  ]) {
    expect(answer.text).not.toMatch(/[\u00ad\u202e]/);
    const [frame] = (JSON.parse(answer.text) as Recording).frames;
    expect(JSON.parse(frame?.text ?? '').params.data).toBe(HOSTILE);
  }
});

test('what is not asked rightly is refused, and nothing of it happens', async () => {
  const unknown = await post('/api/servers/none/recording', { on: true });
  expect([unknown.status, JSON.parse(unknown.text).error.code]).toEqual([404, 'SERVER_UNKNOWN']);
  for (const body of [{}, { on: 'yes' }, { on: true, forMs: 0 }]) expect((await post(path, body)).status).toBe(400);
  expect((await post(`${path}/replay`, { recording: { format: 'other' } })).status).toBe(400);
  expect((await askWeb(here.port, `${path}/frames?after=x`, { headers: signed })).status).toBe(400);
  expect((await askWeb(here.port, path, { headers: {} })).status).toBe(401);
  expect(here.control.plainRecordings.recorder.isKeeping).toBe(false);
});
