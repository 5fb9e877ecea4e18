import { useState } from 'preact/hooks';
import type { RecordedFrame, Recording, RecordingState } from '../../../../src/api/contract/recordings.ts';
import { get } from '../../api.ts';
import { durationText } from '../../duration.ts';
import { now } from '../../live/store.ts';
import { bytesText, counted, numberText } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Empty, ErrorNote } from '../../ui/notes.tsx';
import { saveAs } from '../../ui/save.ts';
import { StateDot } from '../../ui/state-dot.tsx';
import { FrameTable } from './frame-table.tsx';
import { indented, matching } from './frames.ts';
import { Lost } from './lost.tsx';
import { Replay } from './replay.tsx';
import { useRecording } from './use-recording.ts';

/** The recorder of one server: its switch, what is kept, one message of it, and asking it all again. */
export function Recorder({ server }: { server: string }) {
  const { state, frames, thrown, turn, clear } = useRecording(server);
  const [words, setWords] = useState('');
  const [chosen, setChosen] = useState<RecordedFrame | null>(null);
  const shown = matching(frames, words);
  const save = async () => {
    const recording = await get<Recording>(`/api/servers/${server}/recording/file`);
    saveAs(`${server}.recording.json`, JSON.stringify(recording, null, 2));
  };
  return (
    <div class="stack">
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      {state === null ? null : (
        <section class="panel-box recorder" aria-label="Recorder">
          {state.lost === null ? null : <Lost lost={state.lost} />}
          <Summary state={state} />
          <div class="toolbar">
            <Button kind={state.on ? 'plain' : 'main'} onPress={() => turn(!state.on)}>
              {state.on ? 'Stop recording' : state.lost === null ? 'Record' : 'Record again'}
            </Button>
            <Button icon="download" onPress={save} disabled={state.frames === 0}>
              Save as a test case
            </Button>
            <Button
              kind="danger"
              disabled={state.frames === 0 && state.lost === null}
              onPress={() => {
                setChosen(null);
                return clear();
              }}
            >
              Forget all
            </Button>
          </div>
        </section>
      )}
      {state !== null && state.frames > 0 ? (
        <>
          <Replay server={server} />
          <div class="toolbar">
            <SearchField label="Search messages" value={words} onChange={setWords} />
            <span class="note" role="status">
              {numberText(shown.length)} of {counted(frames.length, 'message')}
            </span>
          </div>
          <div class="recorded">
            <FrameTable frames={shown} onOpen={setChosen} />
            {chosen === null ? <p class="soft">Choose a message to see it.</p> : <Message frame={chosen} />}
          </div>
        </>
      ) : null}
      {state !== null && state.frames === 0 ? (
        <Empty icon="recordings" title="Nothing is kept">
          <p>
            While it records, the messages between mcpd and {server} are kept in memory, with secrets masked: for an
            hour, and never on disk.
          </p>
        </Empty>
      ) : null}
    </div>
  );
}

// — internal —

function Summary({ state }: { state: RecordingState }) {
  const rest = state.endsAt === null ? '' : `, for ${durationText(state.endsAt - now.value)} more`;
  const forOthers = state.droppedForOthers === 0 ? '' : `, ${state.droppedForOthers} of them for other servers`;
  const lost = state.dropped === 0 ? '' : `; ${counted(state.dropped, 'older message')} made room${forOthers}`;
  return (
    <p>
      <StateDot tone={state.on ? 'busy' : 'idle'}>{state.on ? `Recording${rest}` : 'Off'}</StateDot>
      <span class="note">
        {counted(state.frames, 'message')}, {bytesText(state.bytes)} of {bytesText(state.bytesMax)}
        {lost}
      </span>
    </p>
  );
}

function Message({ frame }: { frame: RecordedFrame }) {
  const notes = [
    `${frame.kind} ${frame.seq}`,
    `process ${frame.instance}`,
    ...(frame.session === null ? [] : [`session ${frame.session}`]),
    ...(frame.answers === null ? [] : [`answers ${frame.answers}`]),
    ...(frame.masked ? ['masked'] : []),
    ...(frame.cut === 0 ? [] : [`${numberText(frame.cut)} bytes left out`]),
  ];
  return (
    <section class="panel-box" aria-label="Message">
      <p class="note text">{notes.join(' · ')}</p>
      <CodeBlock text={indented(frame.text)} label="message" />
    </section>
  );
}
