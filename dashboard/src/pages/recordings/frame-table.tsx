import type { RecordedFrame } from '../../../../src/api/contract/recordings.ts';
import { now } from '../../live/store.ts';
import { bytesText, latencyText, timeText } from '../../text.ts';
import { VirtualList } from '../../ui/virtual-list.tsx';

const ROW_HEIGHT = 34;

/** Messages, one a line; each opens. */
export function FrameTable({
  frames,
  onOpen,
}: {
  frames: readonly RecordedFrame[];
  onOpen: (frame: RecordedFrame) => void;
}) {
  return (
    <div class="frames">
      <div class="frame-row frame-head" aria-hidden="true">
        <span>When</span>
        <span>Direction</span>
        <span>Method</span>
        <span>About</span>
        <span>Id</span>
        <span class="number">Took</span>
        <span class="number">Size</span>
      </div>
      <VirtualList
        items={frames}
        keyOf={({ seq }) => seq}
        rowHeight={ROW_HEIGHT}
        label="Messages"
        onOpen={onOpen}
        render={(frame) => <Row frame={frame} />}
      />
    </div>
  );
}

// — internal —

function Row({ frame }: { frame: RecordedFrame }) {
  return (
    <div class="frame-row">
      <span>{timeText(frame.at, now.peek())}</span>
      <span>{frame.direction === 'to-server' ? '→ server' : '← server'}</span>
      <span class="text">{frame.method ?? frame.kind}</span>
      <span class="text">{frame.target ?? ''}</span>
      <span class="text">{frame.id ?? ''}</span>
      <span class="number">{frame.tookMs === null ? '' : latencyText(frame.tookMs)}</span>
      <span class="number">{bytesText(frame.bytes)}</span>
    </div>
  );
}
