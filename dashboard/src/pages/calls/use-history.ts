import { useEffect, useRef, useState } from 'preact/hooks';
import type { CallPage, CallRow } from '../../../../src/api/contract/calls.ts';
import { get, wasAborted } from '../../api.ts';
import { connection, onLiveEvent } from '../../live/store.ts';
import { type CallFilters, pathOf, takesNewCalls } from './filters.ts';

/** Rows of one request. */
const PAGE_ROWS = 100;
/** Rows that the page keeps: older ones come again when they are asked for. */
const ROWS_MAX = 5000;
/** Filters are typed: the history is asked once somebody pauses. */
const PAUSE_MS = 150;

interface History {
  rows: readonly CallRow[];
  total: number;
  totalIsLeast: boolean;
  /** Calls that ended too fast, one after another, to be told live. */
  leftOut: number;
  hasMore: boolean;
  thrown: unknown;
  isLoading: boolean;
  loadMore: () => Promise<void>;
  reload: () => void;
}

const NOTHING: CallPage = { calls: [], next: null, total: 0, totalIsLeast: false };

/** The history as it is asked for. New calls are put on top as they end; after a lost connection it is read anew. */
export function useHistory(filters: CallFilters): History {
  const [page, setPage] = useState<CallPage>(NOTHING);
  const [leftOut, setLeftOut] = useState(0);
  const [thrown, setThrown] = useState<unknown>(null);
  const [isLoading, setLoading] = useState(true);
  const [round, setRound] = useState(0);
  const asked = useRef(0);
  const key = JSON.stringify(filters);
  const isLive = connection.value === 'live';

  useEffect(() => {
    const stop = new AbortController();
    asked.current += 1;
    setLoading(true);
    // Who comes to the page has typed nothing yet.
    const pauseMs = asked.current === 1 ? 0 : PAUSE_MS;
    const timer = setTimeout(() => {
      get<CallPage>(pathOf(filters, { now: Date.now(), limit: PAGE_ROWS, before: null }), { signal: stop.signal }).then(
        (first) => {
          setPage(first);
          setLeftOut(0);
          setThrown(null);
          setLoading(false);
        },
        (error: unknown) => {
          if (wasAborted(error)) return;
          setThrown(error);
          setLoading(false);
        },
      );
    }, pauseMs);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
    // `isLive`: what ended while nobody was connected was never told.
  }, [key, round, isLive]);

  useEffect(() => {
    if (!takesNewCalls(filters)) return;
    return onLiveEvent((event) => {
      if (event.type !== 'calls') return;
      setPage((before) => withNew(before, event.calls));
      if (event.leftOut > 0) setLeftOut((count) => count + event.leftOut);
    });
  }, [key]);

  const loadMore = async () => {
    const question = asked.current;
    const path = pathOf(filters, { now: Date.now(), limit: PAGE_ROWS, before: page.next });
    const more = await get<CallPage>(path);
    // The filters have changed meanwhile: these belong to nothing that is shown.
    if (question !== asked.current) return;
    setPage((before) => ({ ...before, calls: unique([...before.calls, ...more.calls]), next: more.next }));
  };

  return {
    rows: page.calls,
    total: page.total,
    totalIsLeast: page.totalIsLeast,
    leftOut,
    hasMore: page.next !== null && page.calls.length < ROWS_MAX,
    thrown,
    isLoading,
    loadMore,
    reload: () => setRound(round + 1),
  };
}

// — internal —

/** A call may be in the first page already when it is told. */
function withNew(page: CallPage, ended: readonly CallRow[]): CallPage {
  const calls = unique([...ended.toReversed(), ...page.calls]).slice(0, ROWS_MAX);
  return { ...page, calls, total: page.total + ended.length };
}

function unique(rows: readonly CallRow[]): CallRow[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()];
}
