import type { CallRow } from '../../../../src/api/contract/calls.ts';
import { now } from '../../live/store.ts';
import { goTo, hrefOf } from '../../route.ts';
import { bytesText, latencyText, timeText } from '../../text.ts';
import { Badge } from '../../ui/state-dot.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { OUTCOME_WORDS } from './outcome.ts';

const ROW_HEIGHT = 38;

/** Calls, one a line; each opens. */
export function CallTable({ rows }: { rows: readonly CallRow[] }) {
  return (
    <div class="calls">
      <div class="call-row call-head" aria-hidden="true">
        <span>When</span>
        <span>Host</span>
        <span>Server</span>
        <span>What</span>
        <span>Outcome</span>
        <span class="number">Waited</span>
        <span class="number">Took</span>
        <span class="number">Answer</span>
      </div>
      <VirtualList
        items={rows}
        keyOf={({ id }) => id}
        rowHeight={ROW_HEIGHT}
        label="Calls"
        onOpen={({ id }) => goTo(hrefOf('calls', String(id)))}
        render={(row) => <Row row={row} />}
      />
    </div>
  );
}

// — internal —

function Row({ row }: { row: CallRow }) {
  const { tone, label } = OUTCOME_WORDS[row.outcome];
  return (
    <div class="call-row">
      <span>{timeText(row.at, now.peek())}</span>
      <span class="text">{row.host}</span>
      <span class="text">{row.server}</span>
      <span class="text" title={`${row.method} ${row.target}`}>
        {row.target === '' ? row.method : row.target}
      </span>
      <span>
        <Badge tone={tone}>{label}</Badge>
      </span>
      <span class="number">{row.queuedMs > 0 ? latencyText(row.queuedMs) : '–'}</span>
      <span class="number">{latencyText(row.totalMs)}</span>
      <span class="number">{bytesText(row.responseBytes)}</span>
    </div>
  );
}
