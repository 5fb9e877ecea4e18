import { servers, sessions } from '../../live/store.ts';
import { hrefOf, replaceWith, route, withQuery } from '../../route.ts';
import { Button } from '../../ui/button.tsx';
import { Choice, SearchField } from '../../ui/field.tsx';
import { Empty, ErrorNote } from '../../ui/notes.tsx';
import { CallTable } from './call-table.tsx';
import { AGES, type CallFilters, filtersOf, isFiltered, NO_FILTERS, ORDERS, OUTCOMES, queryOf } from './filters.ts';
import { summaryOf } from './summary.ts';
import { useHistory } from './use-history.ts';

const OUTCOME_LABELS: Record<CallFilters['outcome'], string> = {
  any: 'Any outcome',
  failed: 'Failed',
  ok: 'Ok',
  'tool-error': 'Tool failed',
  error: 'Error',
  cancelled: 'Cancelled',
  timeout: 'Timed out',
  lost: 'Outcome unknown',
};
const AGE_LABELS: Record<CallFilters['age'], string> = {
  any: 'At any time',
  hour: 'Last hour',
  day: 'Last day',
  week: 'Last week',
};
const ORDER_LABELS: Record<CallFilters['order'], string> = { newest: 'Newest first', slowest: 'Slowest first' };

/** What hosts called: filtered, in pages, and live as long as nothing is filtered. */
export function HistoryPage() {
  const filters = filtersOf(route.value.query);
  const { rows, total, totalIsLeast, leftOut, hasMore, thrown, isLoading, loadMore, reload } = useHistory(filters);
  const choose = (change: Partial<CallFilters>) =>
    replaceWith(withQuery(hrefOf('calls'), queryOf({ ...filters, ...change })));
  return (
    <>
      <div class="page-head">
        <h1>Calls</h1>
        <div class="toolbar call-filters">
          <SearchField label="Search tools" value={filters.target} onChange={(target) => choose({ target })} />
          <NameChoice
            label="Server"
            every="Every server"
            names={[...servers.value.keys()]}
            value={filters.server}
            onChange={(server) => choose({ server })}
          />
          <NameChoice
            label="Host"
            every="Every host"
            names={sessions.value.map(({ host }) => host)}
            value={filters.host}
            onChange={(host) => choose({ host })}
          />
          <Choice
            label="Outcome"
            value={filters.outcome}
            options={OPTIONS.outcome}
            onChange={(outcome) => choose({ outcome })}
          />
          <Choice label="Age" value={filters.age} options={OPTIONS.age} onChange={(age) => choose({ age })} />
          <Choice label="Order" value={filters.order} options={OPTIONS.order} onChange={(order) => choose({ order })} />
        </div>
      </div>
      {thrown === null ? null : (
        <ErrorNote thrown={thrown}>
          <Button onPress={reload}>Try again</Button>
        </ErrorNote>
      )}
      <p class="note" role="status">
        {isLoading && rows.length === 0
          ? 'Looking …'
          : summaryOf({ shown: rows.length, total, totalIsLeast, leftOut, isFiltered: isFiltered(filters) })}
      </p>
      {rows.length > 0 ? <CallTable rows={rows} /> : null}
      {rows.length === 0 && !isLoading && thrown === null ? <NoCalls filtered={isFiltered(filters)} /> : null}
      {hasMore ? (
        <p class="more">
          <Button onPress={loadMore}>Show more</Button>
        </p>
      ) : null}
    </>
  );
}

// — internal —

const OPTIONS = {
  outcome: (['any', ...OUTCOMES] as const).map((value) => ({ value, label: OUTCOME_LABELS[value] })),
  age: (['any', ...AGES] as const).map((value) => ({ value, label: AGE_LABELS[value] })),
  order: ORDERS.map((value) => ({ value, label: ORDER_LABELS[value] })),
};

interface NameChoiceProps {
  label: string;
  every: string;
  names: readonly string[];
  value: string;
  onChange: (name: string) => void;
}

/** What is chosen stays among the options, also when it is gone. */
function NameChoice({ label, every, names, value, onChange }: NameChoiceProps) {
  const all = [...new Set([...names, ...(value === '' ? [] : [value])])].sort();
  const options = [{ value: '', label: every }, ...all.map((name) => ({ value: name, label: name }))];
  return <Choice label={label} value={value} options={options} onChange={onChange} />;
}

function NoCalls({ filtered }: { filtered: boolean }) {
  return filtered ? (
    <Empty icon="search" title="No call is like that">
      <Button onPress={() => replaceWith(withQuery(hrefOf('calls'), queryOf(NO_FILTERS)))}>Show all</Button>
    </Empty>
  ) : (
    <Empty icon="calls" title="No call yet">
      <p>
        What hosts call is listed here, with how long it took and how it ended. Arguments and results are never kept.
      </p>
    </Empty>
  );
}
