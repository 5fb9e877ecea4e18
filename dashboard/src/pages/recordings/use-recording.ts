import { useEffect, useRef, useState } from 'preact/hooks';
import type { RecordedFrame, RecordedFrames, RecordingState } from '../../../../src/api/contract/recordings.ts';
import { get, post, remove, wasAborted } from '../../api.ts';

/** How often a recording that goes on is looked at. */
const LOOK_EVERY_MS = 1000;
const FRAMES_AT_ONCE = 500;

interface RecordingView {
  state: RecordingState | null;
  frames: readonly RecordedFrame[];
  thrown: unknown;
  turn: (on: boolean) => Promise<void>;
  clear: () => Promise<void>;
}

/** What is kept of a server, followed while the page shows it. Holds as many frames as the daemon does. */
export function useRecording(server: string): RecordingView {
  const [state, setState] = useState<RecordingState | null>(null);
  const [frames, setFrames] = useState<readonly RecordedFrame[]>([]);
  const [thrown, setThrown] = useState<unknown>(null);
  const look = useRef<() => Promise<void>>(() => Promise.resolve());
  const path = `/api/servers/${server}/recording`;

  useEffect(() => {
    const stop = new AbortController();
    let known: readonly RecordedFrame[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;
    const once = async (): Promise<boolean> => {
      const after = known.at(-1)?.seq ?? 0;
      const query = `?after=${after}&limit=${FRAMES_AT_ONCE}`;
      const answer = await get<RecordedFrames>(`${path}/frames${query}`, { signal: stop.signal });
      // What the daemon has let go, the page lets go too; after a restart of it the numbers begin anew.
      const isNew = answer.state.lastSeq < after;
      const before = isNew ? [] : known;
      // A look that began at the same time, after a button was pressed, may have brought them already.
      const last = before.at(-1)?.seq ?? 0;
      const fresh = answer.frames.filter(({ seq }) => seq > last);
      known = [...before, ...fresh].filter(({ seq }) => seq >= answer.state.firstSeq);
      if (answer.state.frames === 0) known = [];
      setState(answer.state);
      setFrames(known);
      setThrown(null);
      return answer.more || isNew;
    };
    const go = async () => {
      clearTimeout(timer);
      try {
        while (await once());
      } catch (error) {
        if (wasAborted(error) || stop.signal.aborted) return;
        setThrown(error);
      }
      clearTimeout(timer);
      if (!stop.signal.aborted) timer = setTimeout(go, LOOK_EVERY_MS);
    };
    look.current = go;
    void go();
    return () => {
      stop.abort();
      clearTimeout(timer);
    };
  }, [path]);

  return {
    state,
    frames,
    thrown,
    turn: async (on) => {
      setState(await post<RecordingState>(path, { on }));
      await look.current();
    },
    clear: async () => {
      await remove(path);
      await look.current();
    },
  };
}
