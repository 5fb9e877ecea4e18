import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { type Context, Hono } from 'hono';
import { asMcpdError, McpdError } from '../errors.ts';
import { RECORDING_ANSWER_FRAMES, RECORDING_FILE_BYTES_MAX, RECORDING_FRAMES_MAX } from '../recorder-limits.ts';
import { showableJson } from '../text.ts';
import { lineSink } from './answer.ts';
import type { ApiEnv, AppOptions } from './app.ts';
import { RecordingSwitch, type ReplayEvent, ReplayRequest } from './contract/recordings.ts';
import { bodyAs, json, nameOf, wholeNumber } from './request.ts';

/** The flight recorder. A page may do all of it: nothing here says what is run. */
export function recordingRoutes({ control }: AppOptions): Hono<ApiEnv> {
  const routes = new Hono<ApiEnv>();
  const path = '/servers/:name/recording';
  routes.get('/recordings', async (c) => json(c, (await control.recordings()).all()));
  routes.get(path, async (c) => json(c, (await control.recordings()).state(nameOf(c))));
  routes.post(path, async (c) => {
    const request = await bodyAs(c, RecordingSwitch);
    return json(c, (await control.recordings()).turn(nameOf(c), request));
  });
  routes.delete(path, async (c) => json(c, (await control.recordings()).clear(nameOf(c))));
  routes.get(`${path}/frames`, async (c) => {
    const after = wholeNumber(c, 'after', { min: 0, max: Number.MAX_SAFE_INTEGER }) ?? 0;
    const limit = wholeNumber(c, 'limit', { min: 1, max: RECORDING_FRAMES_MAX }) ?? RECORDING_ANSWER_FRAMES;
    return json(c, (await control.recordings()).frames(nameOf(c), { after, limit }));
  });
  // To be saved, and read again by whoever replays it: its texts must be what they were, on whichever way they go.
  routes.get(`${path}/file`, async (c) => {
    const text = showableJson((await control.recordings()).file(nameOf(c)), 2);
    return c.body(text, 200, { 'content-type': 'application/json; charset=utf-8' });
  });
  routes.post(`${path}/replay`, (c) => replay(c, control));
  return routes;
}

// — internal —

/** Its events as lines, as they come. A client that leaves before the end ends the replay. */
async function replay(c: Context<ApiEnv>, control: AppOptions['control']): Promise<Response> {
  const name = nameOf(c);
  const request = await bodyAs(c, ReplayRequest, RECORDING_FILE_BYTES_MAX);
  const { outgoing, listener } = c.env;
  const sink = lineSink(outgoing, listener);
  const abort = new AbortController();
  const left = () => abort.abort(new McpdError('CALL_FAILED', { what: 'nobody waits for the replay any more' }));
  outgoing.once('close', left);
  try {
    await (await control.recordings()).replay(name, request, sink.write, abort.signal);
  } catch (thrown) {
    if (!outgoing.headersSent) throw thrown;
    const failed: ReplayEvent = {
      type: 'failed',
      error: asMcpdError(thrown, 'INTERNAL', 'the replay failed').report(),
    };
    sink.write(failed);
  } finally {
    outgoing.off('close', left);
  }
  sink.end();
  return RESPONSE_ALREADY_SENT;
}
