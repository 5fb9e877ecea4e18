import { useState } from 'preact/hooks';
import type { LogLine } from '../../../../src/api/contract.ts';
import { now } from '../../live/store.ts';
import { hrefOf, replaceWith, route, withQuery } from '../../route.ts';
import { counted, numberText, timeText } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { CodeBlock } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Choice, SearchField } from '../../ui/field.tsx';
import { Empty, ErrorNote } from '../../ui/notes.tsx';
import { saveAs } from '../../ui/save.ts';
import { Badge } from '../../ui/state-dot.tsx';
import type { Tone } from '../../ui/tone.ts';
import { VirtualList } from '../../ui/virtual-list.tsx';
import { fileOf, type KeptLine, LEVELS, type LogFilters, partsOf, SOURCES } from './log-ring.ts';
import { useLog } from './use-log.ts';
import './logs.css';

const ROW_HEIGHT = 24;

const LEVEL_LABELS: Record<LogFilters['level'], string> = { all: 'Every level', warn: 'Warnings up', error: 'Errors' };
const SOURCE_LABELS: Record<LogFilters['source'], string> = {
  all: 'Every source',
  stderr: 'Printed on stderr',
  stdout: 'Printed on stdout',
  lifecycle: 'Told by mcpd',
  protocol: 'Messages of the protocol',
};
const LEVEL_OPTIONS = LEVELS.map((value) => ({ value, label: LEVEL_LABELS[value] }));
const SOURCE_OPTIONS = SOURCES.map((value) => ({ value, label: SOURCE_LABELS[value] }));

/** What a server prints and what mcpd does with it, live. */
export function LogsTab({ name }: { name: string }) {
  const filters = filtersOf(route.value.query);
  const [isPaused, setPaused] = useState(false);
  const [follows, setFollows] = useState(true);
  const [opened, setOpened] = useState<KeptLine | null>(null);
  const { lines, newer, isLive, thrown } = useLog(name, { filters, isPaused, follows });
  const choose = (change: Partial<LogFilters>) => {
    const { words, level, source, protocol } = { ...filters, ...change };
    const query = {
      words,
      level: level === 'all' ? null : level,
      source: source === 'all' ? null : source,
      protocol: protocol ? '1' : null,
    };
    replaceWith(withQuery(hrefOf('servers', name, 'logs'), query));
  };
  const isFiltered = filters.words !== '' || filters.level !== 'all' || filters.source !== 'all';
  return (
    <div class="logs">
      <div class="toolbar">
        <SearchField label="Search the log" value={filters.words} onChange={(words) => choose({ words })} />
        <Choice label="Level" value={filters.level} options={LEVEL_OPTIONS} onChange={(level) => choose({ level })} />
        <Choice
          label="Source"
          value={filters.source}
          options={SOURCE_OPTIONS}
          onChange={(source) => choose({ source })}
        />
        <Button
          pressed={filters.protocol}
          onPress={() =>
            choose({
              protocol: !filters.protocol,
              source: filters.source === 'protocol' ? 'all' : filters.source,
            })
          }
        >
          Protocol
        </Button>
        <Button icon="pause" pressed={isPaused} onPress={() => setPaused(!isPaused)}>
          Pause
        </Button>
        <Button icon="down" pressed={follows} onPress={() => setFollows(!follows)}>
          Follow
        </Button>
        <Button icon="download" disabled={lines.length === 0} onPress={() => saveAs(`${name}.log`, fileOf(lines))}>
          Download
        </Button>
      </div>
      <p class="note">
        {counted(lines.length, 'line')}
        {isPaused ? `, paused: ${numberText(newer)} newer` : isLive || lines.length === 0 ? '' : ', not live'}
        {filters.protocol ? ` · ${PROTOCOL_NOTE}` : ''}
      </p>
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      {lines.length === 0 ? (
        <NoLines isFiltered={isFiltered} onShowAll={() => choose({ words: '', level: 'all', source: 'all' })} />
      ) : (
        <VirtualList
          items={lines}
          keyOf={({ seq }) => seq}
          rowHeight={ROW_HEIGHT}
          label={`Log of ${name}`}
          render={(line) => <Row line={line} words={filters.words} />}
          onOpen={setOpened}
          followsEnd={follows}
          onFollow={setFollows}
        />
      )}
      {opened === null ? null : <OpenedLine line={opened} onClose={() => setOpened(null)} />}
    </div>
  );
}

// — internal —

const PROTOCOL_NOTE = 'each message between mcpd and the server is told while you watch: what it is, not what is in it';

const LEVEL_TONES: Record<LogLine['level'], Tone | undefined> = { info: undefined, warn: 'busy', error: 'bad' };

function filtersOf(query: ReadonlyMap<string, string>): LogFilters {
  const source = SOURCES.find((one) => one === query.get('source')) ?? 'all';
  return {
    words: query.get('words') ?? '',
    level: LEVELS.find((one) => one === query.get('level')) ?? 'all',
    source,
    protocol: source === 'protocol' || query.get('protocol') === '1',
  };
}

function Row({ line, words }: { line: KeptLine; words: string }) {
  return (
    <div class="log-line" data-source={line.source}>
      <span class="soft">{timeText(line.at, now.peek())}</span>
      <span class="source soft">{line.source}</span>
      <span class="log-text" data-tone={LEVEL_TONES[line.level]}>
        {line.level === 'info' ? null : <span class="unseen">{line.level}: </span>}
        {partsOf(line.text, words).map((part, at) => (at % 2 === 1 ? <mark key={at}>{part}</mark> : part))}
      </span>
    </div>
  );
}

function OpenedLine({ line, onClose }: { line: KeptLine; onClose: () => void }) {
  return (
    <Dialog title={timeText(line.at, now.peek())} onClose={onClose}>
      <p class="toolbar">
        <Badge>{line.source}</Badge>
        <Badge tone={LEVEL_TONES[line.level]}>{line.level}</Badge>
      </p>
      <CodeBlock text={line.text} label="line" />
    </Dialog>
  );
}

function NoLines({ isFiltered, onShowAll }: { isFiltered: boolean; onShowAll: () => void }) {
  return isFiltered ? (
    <Empty icon="search" title="No line is like that">
      <Button onPress={onShowAll}>Show all</Button>
    </Empty>
  ) : (
    <Empty title="No line yet">
      <p>What the server prints on stderr is shown here as it comes, with its starts and ends.</p>
    </Empty>
  );
}
