import { servers } from '../../live/store.ts';
import { goTo, hrefOf } from '../../route.ts';
import { Choice } from '../../ui/field.tsx';
import { Empty } from '../../ui/notes.tsx';
import { OtherRecordings } from './lost.tsx';
import { Recorder } from './recorder.tsx';
import './recordings.css';

/** The flight recorder: `#/recordings/NAME`. */
export function RecordingsPage({ parts }: { parts: readonly string[] }) {
  const names = [...servers.value.keys()];
  const name = names.find((one) => one === parts[0]) ?? names[0];
  if (name === undefined) {
    return (
      <Empty icon="recordings" title="No server yet">
        <p>What mcpd and a server say to each other can be kept here, once there is one.</p>
      </Empty>
    );
  }
  return (
    <>
      <div class="page-head">
        <h1>Recordings</h1>
        <Choice
          label="Server"
          value={name}
          options={names.map((value) => ({ value, label: value }))}
          onChange={(chosen) => goTo(hrefOf('recordings', chosen))}
        />
      </div>
      <OtherRecordings server={name} />
      <Recorder key={name} server={name} />
    </>
  );
}
