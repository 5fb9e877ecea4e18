import { useCallback, useMemo, useState } from 'preact/hooks';
import type { ServerFigures } from '../../../../src/api/contract/figures.ts';
import type { ServerStatus, SessionStatus } from '../../../../src/api/contract.ts';
import { Icon } from '../../ui/icon.tsx';
import { useNearRows } from '../../ui/near-rows.ts';
import { moveBetweenRows } from '../../ui/row-keys.ts';
import { COLUMNS, type Order, type SortKey } from './order.ts';
import { hostsOf } from './row.ts';
import { ServerRow } from './server-row.tsx';

interface ServerTableProps {
  rows: readonly ServerStatus[];
  figures: ReadonlyMap<string, ServerFigures>;
  sessions: readonly SessionStatus[];
  chosen: ReadonlySet<string>;
  onChoose: (names: readonly string[], isChosen: boolean) => void;
  order: Order;
  onSort: (by: SortKey) => void;
}

export function ServerTable({ rows, figures, sessions, chosen, onChoose, order, onSort }: ServerTableProps) {
  const { body, isNear, heightOf } = useNearRows(rows);
  // Who is at a button of a row scrolls away and comes back to it.
  const [focused, setFocused] = useState<string | null>(null);
  const all = rows.every(({ name }) => chosen.has(name));
  const some = rows.some(({ name }) => chosen.has(name));
  // The same function for all rows at all times, so that a row is drawn again only for its own sake.
  const chooseOne = useLatest((name: string, isChosen: boolean) => onChoose([name], isChosen));
  return (
    <div class="table-box servers">
      {/* Arrow keys between rows come on top of Tab. */}
      <table
        aria-label="Servers"
        onKeyDown={moveBetweenRows}
        onFocusCapture={({ target }) => setFocused(rowNameOf(target))}
      >
        <colgroup>
          <col class="tick" />
          {COLUMNS.map(({ key }) => (
            <col key={key} class={`col-${key}`} />
          ))}
          <col class="col-actions" />
        </colgroup>
        <thead>
          <tr>
            <th class="tick">
              <input
                type="checkbox"
                aria-label="Choose all"
                checked={all}
                indeterminate={some && !all}
                onChange={() =>
                  onChoose(
                    rows.map(({ name }) => name),
                    !all,
                  )
                }
              />
            </th>
            {COLUMNS.map(({ key, label, isNumber }) => (
              <th
                key={key}
                scope="col"
                class={isNumber ? 'number' : undefined}
                aria-sort={order.by === key ? (order.descending ? 'descending' : 'ascending') : undefined}
              >
                <button type="button" class="sort" onClick={() => onSort(key)}>
                  {label}
                  {order.by === key ? <Icon name={order.descending ? 'down' : 'up'} /> : null}
                </button>
              </th>
            ))}
            <th scope="col">
              <span class="unseen">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody ref={body}>
          {rows.map((server, at) => {
            const isWhole = isNear(at) || server.name === focused;
            const its = figures.get(server.name);
            return (
              <ServerRow
                key={server.name}
                server={server}
                figures={isWhole ? its : undefined}
                hosts={isWhole ? hostsOf(its, sessions).join(', ') : ''}
                isWhole={isWhole}
                height={isWhole ? undefined : heightOf(server.name)}
                isChosen={chosen.has(server.name)}
                onChoose={chooseOne}
              />
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

// — internal —

function rowNameOf(target: EventTarget | null): string | null {
  return target instanceof Element ? (target.closest<HTMLElement>('[data-row]')?.dataset['row'] ?? null) : null;
}

/** A function that stays the same and does what the latest one does. */
function useLatest<A extends unknown[]>(does: (...args: A) => void): (...args: A) => void {
  const latest = useMemo(() => ({ does }), []);
  latest.does = does;
  return useCallback((...args: A) => latest.does(...args), [latest]);
}
