import { CallPage } from './call-page.tsx';
import { HistoryPage } from './history-page.tsx';
import './calls.css';

/** `#/calls` is the history, `#/calls/17` one call of it. */
export function CallsPage({ parts }: { parts: readonly string[] }) {
  const [id] = parts;
  return id === undefined ? <HistoryPage /> : <CallPage key={id} id={id} />;
}
