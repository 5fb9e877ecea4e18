import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LogLine } from '../../../../src/api/contract.ts';
import { linesOf, reportOf, wasAborted } from '../../api.ts';
import { Pace } from '../../ui/pace.ts';
import { isKnown, type KeptLine, type LogFilters, LogRing } from './log-ring.ts';

/** Past lines to begin with; after a lost connection all that the daemon gives, so that nothing is missing between. */
const PAST_LINES = 1000;
const MISSED_LINES_MAX = 10_000;
/** Nobody reads faster than this, and each drawing lays the page out anew. What comes after a pause is drawn with the next frame. */
const DRAW_EVERY_MS = 200;
/** The daemon may only restart; a page that was too slow was cut off. */
const RETRY_MS = 1000;

interface Log {
  lines: readonly KeptLine[];
  /** Lines that came since it was paused. */
  newer: number;
  isLive: boolean;
  thrown: unknown;
}

interface View {
  filters: LogFilters;
  isPaused: boolean;
  /** Whether somebody looks at the newest line; else nothing moves under his eyes. */
  follows: boolean;
}

/** The log of a server as it grows, drawn at most every DRAW_EVERY_MS however many lines come. */
export function useLog(name: string, { filters, isPaused, follows }: View): Log {
  const ring = useMemo(() => new LogRing(filters), [name]);
  const [drawn, setDrawn] = useState<{ lines: readonly KeptLine[]; newer: number }>({ lines: [], newer: 0 });
  const [isLive, setLive] = useState(false);
  const [thrown, setThrown] = useState<unknown>(null);
  const pausedAt = useRef<number | null>(null);
  if (isPaused) pausedAt.current ??= ring.lastSeq;
  else pausedAt.current = null;

  const draw = useRef(() => {});
  draw.current = () => {
    const upTo = pausedAt.current;
    if (upTo !== null) return setDrawn((before) => ({ ...before, newer: ring.lastSeq - upTo }));
    setDrawn({ lines: ring.lines({ upTo, isHeld: !follows }), newer: 0 });
  };

  useEffect(() => {
    ring.filterBy(filters);
    setDrawn({
      lines: ring.lines({ upTo: pausedAt.current, isHeld: isPaused || !follows }),
      newer: pausedAt.current === null ? 0 : ring.lastSeq - pausedAt.current,
    });
  }, [ring, filters.words, filters.level, filters.source, filters.protocol, isPaused, follows]);

  useEffect(() => {
    const stop = new AbortController();
    const pace = new Pace(DRAW_EVERY_MS, () => draw.current());
    const followOnce = async () => {
      const known = ring.lastMoment();
      const from = known[0] === undefined ? `lines=${PAST_LINES}` : `lines=${MISSED_LINES_MAX}&since=${known[0].at}`;
      const path = `/api/servers/${name}/logs?follow=1&${from}${filters.protocol ? '&protocol=1' : ''}`;
      for await (const line of linesOf<LogLine>(path, { signal: stop.signal })) {
        setLive(true);
        setThrown(null);
        if (isKnown(known, line)) continue;
        ring.push(line);
        pace.changed();
      }
    };
    const followOn = async () => {
      while (!stop.signal.aborted) {
        try {
          await followOnce();
        } catch (error) {
          if (wasAborted(error) || stop.signal.aborted) return;
          // The head of the page says already that the daemon does not answer.
          if (reportOf(error).code !== 'DAEMON_UNREACHABLE') setThrown(error);
        }
        setLive(false);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    };
    void followOn();
    return () => {
      stop.abort();
      pace.end();
    };
  }, [ring, name, filters.protocol]);

  return { ...drawn, isLive, thrown };
}
