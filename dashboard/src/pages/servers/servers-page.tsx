import { useMemo, useState } from 'preact/hooks';
import { DOINGS, type Doing, doToAll } from '../../doing.ts';
import { InstallDialog } from '../../installing/install-dialog.tsx';
import { figures, servers, sessions, status } from '../../live/store.ts';
import { hrefOf, replaceWith, route, withQuery } from '../../route.ts';
import { countedSince } from '../../since-start.ts';
import { counted } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Command } from '../../ui/code.tsx';
import { Choice, SearchField } from '../../ui/field.tsx';
import { Empty } from '../../ui/notes.tsx';
import { COLUMNS, filtered, type Order, orderAfterClick, SHOWN_STATES, type Shown, sorted } from './order.ts';
import { ServerTable } from './server-table.tsx';
import './servers.css';

const SHOWN_LABELS: Record<Shown, string> = {
  all: 'All servers',
  running: 'Running',
  trouble: 'In trouble',
  stopped: 'At rest',
  disabled: 'Disabled',
};
const SHOWN = SHOWN_STATES.map((value) => ({ value, label: SHOWN_LABELS[value] }));
const ORDERS = COLUMNS.map(({ key, label }) => ({ value: key, label: `By ${label.toLowerCase()}` }));
const BULK: readonly Doing[] = ['start', 'stop', 'restart', 'enable', 'disable'];

/** All servers: how each fares, and what can be done about it. */
export function ServersPage() {
  const [words, setWords] = useState('');
  const [order, setOrder] = useState<Order>({ by: 'name', descending: false });
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [isInstalling, setInstalling] = useState(false);
  const shown = SHOWN_STATES.find((one) => one === route.value.query.get('show')) ?? 'all';
  const all = servers.value;
  const known = figures.value;
  const rows = useMemo(
    () => sorted(filtered([...all.values()], words, shown), known, order),
    [all, known, words, shown, order],
  );
  const chosenRows = rows.filter(({ name }) => chosen.has(name));

  const choose = (names: readonly string[], isChosen: boolean) => {
    const next = new Set(chosen);
    for (const name of names) isChosen ? next.add(name) : next.delete(name);
    setChosen(next);
  };

  return (
    <>
      <div class="page-head">
        <h1>Servers</h1>
        <SearchField label="Search servers" value={words} onChange={setWords} />
        <Choice
          label="Which servers"
          value={shown}
          options={SHOWN}
          onChange={(show) => replaceWith(withQuery(hrefOf('servers'), { show: show === 'all' ? null : show }))}
        />
        {/* Cards have no heads to click. */}
        <div class="card-order">
          <Choice
            label="Order"
            value={order.by}
            options={ORDERS}
            onChange={(by) => setOrder(orderAfterClick({ by: 'name', descending: true }, by))}
          />
        </div>
        <Button icon="plus" onPress={() => setInstalling(true)}>
          Install
        </Button>
      </div>
      <Warnings />
      {isInstalling ? <InstallDialog onClose={() => setInstalling(false)} /> : null}
      {all.size === 0 ? <NoServer /> : null}
      {all.size > 0 && rows.length === 0 ? (
        <Empty icon="search" title="No server is like that">
          <Button
            onPress={() => {
              setWords('');
              replaceWith(hrefOf('servers'));
            }}
          >
            Show all
          </Button>
        </Empty>
      ) : null}
      {rows.length > 0 ? (
        <>
          {chosenRows.length > 0 ? (
            <div class="bulk" role="toolbar" aria-label="With the chosen servers">
              <strong>{counted(chosenRows.length, 'server')} chosen</strong>
              {BULK.map((doing) => (
                <Button
                  key={doing}
                  onPress={() =>
                    doToAll(
                      chosenRows.map(({ name }) => name),
                      doing,
                    )
                  }
                >
                  {DOINGS[doing].label}
                </Button>
              ))}
              {chosenRows.length < rows.length ? (
                <Button
                  kind="quiet"
                  onPress={() =>
                    choose(
                      rows.map(({ name }) => name),
                      true,
                    )
                  }
                >
                  Choose all
                </Button>
              ) : null}
              <Button kind="quiet" onPress={() => setChosen(new Set())}>
                Choose none
              </Button>
            </div>
          ) : null}
          <ServerTable
            rows={rows}
            figures={known}
            sessions={sessions.value}
            chosen={chosen}
            onChoose={choose}
            order={order}
            onSort={(by) => setOrder(orderAfterClick(order, by))}
          />
          <p class="note">Restarts, calls and errors are counted {countedSince()}.</p>
        </>
      ) : null}
    </>
  );
}

// — internal —

function Warnings() {
  const warnings = status.value?.warnings ?? [];
  if (warnings.length === 0) return null;
  return (
    <ul class="warnings" aria-label="Warnings">
      {warnings.map((warning) => (
        <li key={warning}>{warning}</li>
      ))}
    </ul>
  );
}

function NoServer() {
  return (
    <Empty icon="servers" title="No server yet">
      <p>Choose one with Install, or in a terminal:</p>
      <Command text="mcpd install weather" />
      <p>What there is:</p>
      <Command text="mcpd search" />
    </Empty>
  );
}
