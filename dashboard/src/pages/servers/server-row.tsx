import type { ComponentChildren } from 'preact';

import type { ServerFigures } from '../../../../src/api/contract/figures.ts';
import type { ServerStatus } from '../../../../src/api/contract.ts';
import { doTo } from '../../doing.ts';
import { durationText } from '../../duration.ts';
import { now } from '../../live/store.ts';
import { hrefOf } from '../../route.ts';
import { bytesText, counted, numberText } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { memo } from '../../ui/memo.tsx';
import { Spark } from '../../ui/spark.tsx';
import { StateDot } from '../../ui/state-dot.tsx';
import { HealthOf } from './health-of.tsx';
import { lastExitNote, stateNote, stateTone, treeOf, uptimeMs } from './row.ts';
import { Suggestions } from './suggestions.tsx';

interface ServerRowProps {
  server: ServerStatus;
  figures: ServerFigures | undefined;
  /** Names of the hosts that use it. */
  hosts: string;
  /** Near the window. Elsewhere a row has its name and state only. */
  isWhole: boolean;
  /** In pixels, of one that is not whole; undefined when that is not known. */
  height: number | undefined;
  isChosen: boolean;
  onChoose: (name: string, isChosen: boolean) => void;
}

/** Drawn again only when something of this server changed. */
export const ServerRow = memo(({ server, figures, hosts, isWhole, height, isChosen, onChoose }: ServerRowProps) => {
  const { name } = server;
  return (
    <tr
      data-row={name}
      aria-selected={isChosen}
      data-plain={isWhole ? undefined : ''}
      style={height === undefined ? undefined : { height: `${height}px` }}
    >
      <td class="tick">
        {isWhole ? (
          <input
            type="checkbox"
            data-at="tick"
            aria-label={`Choose ${name}`}
            checked={isChosen}
            onChange={() => onChoose(name, !isChosen)}
          />
        ) : null}
      </td>
      {/* The same element in both, so that it keeps the focus. */}
      <th scope="row">
        <a class="text" data-at="name" href={hrefOf('servers', name)}>
          {name}
        </a>
        {isWhole && server.description !== '' ? (
          <span class="note short" title={server.description}>
            {server.description}
          </span>
        ) : null}
      </th>
      {isWhole ? <Whole server={server} figures={figures} hosts={hosts} /> : <Plain server={server} />}
    </tr>
  );
});

// — internal —

function Plain({ server }: { server: ServerStatus }) {
  return (
    <>
      <Cell label="Wanted">{server.wanted}</Cell>
      <Cell label="State">{server.state}</Cell>
      <td colSpan={PLAIN_SPAN} />
    </>
  );
}

/** Cells that a plain row leaves out. */
const PLAIN_SPAN = 9;

function Whole({ server, figures, hosts }: Pick<ServerRowProps, 'server' | 'figures' | 'hosts'>) {
  return (
    <>
      <Cell label="Wanted">
        {server.wanted}
        {server.wantedReason === null ? null : <span class="note">{server.wantedReason}</span>}
      </Cell>
      <Cell label="State">
        <StateDot tone={stateTone(server)}>{server.state}</StateDot>
        <StateNote server={server} />
        <Suggestions server={server} />
      </Cell>
      <Cell label="Health">
        <HealthOf server={server} />
        {server.findings.length === 0 ? null : <span class="note">{server.findings.join(' · ')}</span>}
      </Cell>
      <Cell label="Uptime" isNumber>
        <Uptime server={server} />
      </Cell>
      <Cell label="Restarts" isNumber>
        {figures === undefined ? '–' : numberText(figures.restarts)}
      </Cell>
      <CountCells server={server} figures={figures} />
      <TreeCells figures={figures} />
      <Cell label="Used by">
        {figures === undefined || figures.sessions.length === 0 ? '–' : counted(figures.sessions.length, 'session')}
        {hosts === '' ? null : (
          <span class="note short" title={hosts}>
            {hosts}
          </span>
        )}
      </Cell>
      <td class="actions">
        <RowActions server={server} />
      </td>
    </>
  );
}

function Cell({ label, isNumber, children }: { label: string; isNumber?: boolean; children: ComponentChildren }) {
  return (
    <td data-label={label} class={isNumber ? 'number' : undefined}>
      {children}
    </td>
  );
}

/** These two change with each second, and nothing else of the row does. */
function StateNote({ server }: { server: ServerStatus }) {
  // Read only where the seconds are shown: all other rows rest.
  const at = server.state === 'backoff' || server.lastExit !== null ? now.value : 0;
  const notes = [stateNote(server, at), lastExitNote(server, at)].filter((note) => note !== null);
  return notes.length === 0 ? null : <span class="note">{notes.join(' · ')}</span>;
}

function Uptime({ server }: { server: ServerStatus }) {
  if (server.state !== 'running') return <>–</>;
  return <>{durationText(uptimeMs(server, now.value) ?? 0)}</>;
}

function CountCells({ server, figures }: { server: ServerStatus; figures: ServerFigures | undefined }) {
  const { calls = [], errors = [] } = figures?.perMinute ?? {};
  const top = Math.max(1, ...calls);
  // Figures are told again with each call, the server itself with its changes only.
  const counts = figures ?? server;
  return (
    <>
      <Cell label="Calls" isNumber>
        {numberText(counts.calls)}
        <Spark values={calls} max={top} label={`${counted(sum(calls), 'call')} in the last hour, by minute`} />
        {counts.openCalls > 0 ? <span class="note">{counts.openCalls} open</span> : null}
      </Cell>
      <Cell label="Errors" isNumber>
        <span data-tone={counts.errors > 0 ? 'bad' : undefined}>{numberText(counts.errors)}</span>
        <Spark
          values={errors}
          max={top}
          tone="bad"
          label={`${counted(sum(errors), 'error')} in the last hour, by minute`}
        />
      </Cell>
    </>
  );
}

function TreeCells({ figures }: { figures: ServerFigures | undefined }) {
  const tree = treeOf(figures);
  const { rssBytes: memory = [], cpuPercent = [] } = figures?.tree.samples ?? {};
  const cpu = cpuPercent.filter((percent) => percent !== null);
  if (tree === null) {
    return (
      <>
        <Cell label="Memory" isNumber>
          –
        </Cell>
        <Cell label="CPU" isNumber>
          –
        </Cell>
      </>
    );
  }
  const cpuText = tree.cpuPercent === null ? '–' : `${Math.round(tree.cpuPercent)} %`;
  return (
    <>
      <Cell label="Memory" isNumber>
        {bytesText(tree.rssBytes)}
        <Spark values={memory} tone="soft" label={`Memory of all its processes: ${bytesText(tree.rssBytes)}`} />
      </Cell>
      <Cell label="CPU" isNumber>
        {cpuText}
        <Spark values={cpu} max={Math.max(100, ...cpu)} tone="soft" label={`CPU of all its processes: ${cpuText}`} />
      </Cell>
    </>
  );
}

function RowActions({ server }: { server: ServerStatus }) {
  const { name } = server;
  const rests = server.state === 'stopped' || server.state === 'failed';
  return (
    <div class="row-actions">
      {rests ? (
        <Button
          kind="quiet"
          icon="start"
          label={`Start ${name}`}
          disabled={!server.enabled}
          onPress={() => doTo(name, 'start')}
        />
      ) : (
        <Button kind="quiet" icon="stop" label={`Stop ${name}`} onPress={() => doTo(name, 'stop')} />
      )}
      <Button
        kind="quiet"
        icon="restart"
        label={`Restart ${name}`}
        disabled={!server.enabled}
        onPress={() => doTo(name, 'restart')}
      />
      <Button
        kind="quiet"
        icon="power"
        label={`${server.enabled ? 'Disable' : 'Enable'} ${name}`}
        onPress={() => doTo(name, server.enabled ? 'disable' : 'enable')}
      />
    </div>
  );
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
