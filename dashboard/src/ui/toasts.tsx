import { signal } from '@preact/signals';
import type { ErrorBody } from '../../../src/api/contract.ts';
import { reportOf, wasAborted } from '../api.ts';
import { Command } from './code.tsx';
import { Icon } from './icon.tsx';
import './toasts.css';

/** Long enough to read; what failed stays until somebody closes it. */
const SHOWN_MS = 5000;
/** More than this and nobody reads them; the oldest goes. */
const TOASTS_MAX = 4;

/** Says briefly that something was done. */
export function told(text: string): void {
  const id = add({ text, report: null });
  setTimeout(() => close(id), SHOWN_MS);
}

/** Says that something was not done, why, and what to try. For the end of any promise: what was called off says nothing. */
export function failed(thrown: unknown): void {
  if (!wasAborted(thrown)) add({ text: '', report: reportOf(thrown) });
}

/** The corner where they stand; once, in the shell of the page. */
export function Toasts() {
  return (
    <div class="toasts" role="status">
      {toasts.value.map(({ id, text, report }) => (
        <div key={id} class="toast" data-tone={report === null ? 'good' : 'bad'}>
          <div>
            <p>{report?.what ?? text}</p>
            {report?.why ? <p class="soft">{report.why}</p> : null}
            {report?.fix ? <Command text={report.fix} /> : null}
          </div>
          <button type="button" class="button" data-kind="quiet" data-bare aria-label="Close" onClick={() => close(id)}>
            <Icon name="close" />
          </button>
        </div>
      ))}
    </div>
  );
}

// — internal —

interface Toast {
  id: number;
  text: string;
  report: ErrorBody['error'] | null;
}

const toasts = signal<readonly Toast[]>([]);
let lastId = 0;

function add(toast: Omit<Toast, 'id'>): number {
  lastId += 1;
  toasts.value = [...toasts.value.slice(1 - TOASTS_MAX), { id: lastId, ...toast }];
  return lastId;
}

function close(id: number): void {
  toasts.value = toasts.value.filter((toast) => toast.id !== id);
}
