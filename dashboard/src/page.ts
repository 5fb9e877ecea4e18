import { durationText } from './duration.ts';
import { type Cell, COLUMNS, rowOf, type Tone } from './row.ts';
import type { View } from './view.ts';

/**
 * Puts a view on the page. Text nodes only: whatever a server calls itself, it stays text. Only what differs is touched, so that a
 * selection or a screen reader's place is kept.
 */
export function show(view: View, now: number): void {
  const { status } = view;
  if (status === null) return;
  element('servers').hidden = false;
  element('notice').hidden = true;
  const uptime = durationText(now - status.startedAt);
  setText(
    element('facts'),
    `${status.version} · process ${status.pid} · up ${uptime} · ${counted(view.sessions.length, 'host')}`,
  );
  setText(element('summary'), summaryOf(view));
  showWarnings(status.warnings);
  showRows(view, now);
}

export function showConnection(text: string, tone: Tone): void {
  const place = element('connection');
  setText(place, text);
  place.dataset['tone'] = tone;
}

/** Instead of the servers: why they cannot be shown, and what to type. */
export function showNotice(title: string, text: string, command: string): void {
  element('servers').hidden = true;
  setText(element('notice-title'), title);
  setText(element('notice-text'), text);
  setText(element('notice-command'), command);
  element('notice').hidden = false;
}

// — internal —

function showRows(view: View, now: number): void {
  const body = element('rows');
  const rows = [...view.servers.values()].map((server) => ({ name: server.name, row: rowOf(server, now) }));
  const before = new Map([...body.children].map((child) => [child.getAttribute('data-name'), child]));
  for (const [at, { name, row }] of rows.entries()) {
    const line = before.get(name) ?? newRow(name);
    before.delete(name);
    if (body.children[at] !== line) body.insertBefore(line, body.children[at] ?? null);
    for (const [column, { key }] of COLUMNS.entries()) {
      const place = line.children[column];
      if (place !== undefined) showCell(place, row[key]);
    }
  }
  for (const gone of before.values()) gone.remove();
}

function newRow(name: string): HTMLTableRowElement {
  const line = document.createElement('tr');
  line.dataset['name'] = name;
  for (const { key, label, number } of COLUMNS) {
    const place = document.createElement(key === 'server' ? 'th' : 'td');
    if (key === 'server') place.setAttribute('scope', 'row');
    place.dataset['label'] = label;
    if (number) place.className = 'number';
    place.append(span('text'), span('note'), document.createElement('code'));
    line.append(place);
  }
  return line;
}

function showCell(place: Element, cell: Cell): void {
  const [text, note, command] = place.children;
  if (text instanceof HTMLElement) {
    setText(text, cell.text);
    if (cell.tone === null) delete text.dataset['tone'];
    else text.dataset['tone'] = cell.tone;
  }
  for (const [part, value] of [
    [note, cell.note],
    [command, cell.command],
  ] as const) {
    if (!(part instanceof HTMLElement)) continue;
    part.hidden = value === null;
    setText(part, value ?? '');
  }
}

function showWarnings(warnings: readonly string[]): void {
  const list = element('warnings');
  list.hidden = warnings.length === 0;
  if ([...list.children].map((item) => item.textContent).join('\n') === warnings.join('\n')) return;
  list.replaceChildren(
    ...warnings.map((warning) => {
      const item = document.createElement('li');
      item.textContent = warning;
      return item;
    }),
  );
}

function summaryOf(view: View): string {
  const servers = [...view.servers.values()];
  if (servers.length === 0) return 'None yet. mcpd search shows what there is, mcpd install NAME installs it.';
  const running = servers.filter((server) => server.state === 'running').length;
  const failing = servers.filter((server) => server.state === 'failed' || server.state === 'backoff').length;
  const parts = [counted(servers.length, 'server'), `${running} running`];
  if (failing > 0) parts.push(`${failing} in trouble`);
  return parts.join(' · ');
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function element(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new RangeError(`the page has no #${id}`);
  return found;
}

function span(className: string): HTMLSpanElement {
  const made = document.createElement('span');
  made.className = className;
  return made;
}

function setText(place: Element, text: string): void {
  if (place.textContent !== text) place.textContent = text;
}
