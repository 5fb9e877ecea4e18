import { LIST_ENTRIES_MAX } from '../../limits.ts';
import { asBuffer, type Edit, join, splice } from '../../protocol/bytes.ts';
import type { Frame, Span } from '../../protocol/frame.ts';
import { elements, jsonString, member, text } from '../../protocol/members.ts';
import { param, type RequestView } from '../../protocol/request-view.ts';
import { type HeaderArgument, headerArguments } from './header-schema.ts';
import { headerValue } from './header-value.ts';

/** What one server's lists have said of arguments that go into headers. It outlives a connection: a call needs it before any list. */
export class ToolHeaders {
  readonly #byTool = new Map<string, readonly HeaderArgument[]>();

  /**
   * Takes note of a page of `tools/list`. The frame comes back without the tools whose annotations are invalid, all other bytes as they
   * were; each of those is told to `onDropped`.
   */
  learn(page: Frame, onDropped: (tool: string, why: string) => void): Frame {
    const { envelope } = page;
    if (envelope.kind !== 'result') return page;
    const bytes = join(page.bytes);
    // Most servers have none: then nothing is looked into.
    if (!asBuffer(bytes).includes('x-mcp-header')) return page;
    const tools = member(bytes, envelope.result, 'tools');
    if (tools === null) return page;
    const spans = elements(bytes, tools);
    const dropped = new Set<number>();
    for (const [at, span] of spans.entries()) {
      const name = nameOf(bytes, span);
      const schema = member(bytes, span, 'inputSchema');
      const found = schema === null ? [] : headerArguments(JSON.parse(text(bytes, schema)));
      if (!('fault' in found)) {
        this.#remember(name, found);
        continue;
      }
      dropped.add(at);
      this.#byTool.delete(name);
      onDropped(name, found.fault);
    }
    return dropped.size === 0 ? page : without(page, bytes, spans, dropped);
  }

  /** The headers of one call. What is null or absent among its arguments has none. */
  of(view: RequestView): Record<string, string> {
    const { bytes } = view;
    const name = param(view, 'name');
    const known = name === null ? undefined : this.#byTool.get(jsonString(bytes, name) ?? '');
    if (known === undefined) return {};
    const given = param(view, 'arguments');
    const headers: [string, string][] = [];
    for (const { path, header } of known) {
      const value = given === null ? null : valueAt(bytes, given, path);
      if (value !== null) headers.push([header, headerValue(value)]);
    }
    return Object.fromEntries(headers);
  }

  #remember(tool: string, found: readonly HeaderArgument[]): void {
    this.#byTool.delete(tool);
    if (found.length > 0) this.#byTool.set(tool, found);
    if (this.#byTool.size <= LIST_ENTRIES_MAX) return;
    for (const oldest of this.#byTool.keys()) {
      this.#byTool.delete(oldest);
      return;
    }
  }
}

// — internal —

function nameOf(bytes: Uint8Array, tool: Span): string {
  const name = member(bytes, tool, 'name');
  return (name === null ? null : jsonString(bytes, name)) ?? '';
}

/** The argument as text: a string itself, `true`, `false`, or a number as it is written; null for everything else. */
function valueAt(bytes: Uint8Array, given: Span, path: readonly string[]): string | null {
  let at: Span = given;
  for (const key of path) {
    const next = member(bytes, at, key);
    if (next === null) return null;
    at = next;
  }
  const string = jsonString(bytes, at);
  if (string !== null) return string;
  const raw = text(bytes, at);
  if (raw === 'true' || raw === 'false' || /^-?\d+$/.test(raw)) return raw;
  // `1e3` and `42.0` are whole numbers too, and headers have them in decimal.
  const number = /^-?\d/.test(raw) ? Number(raw) : Number.NaN;
  return Number.isSafeInteger(number) ? String(number) : null;
}

/** The page without some of its tools. An element goes together with the comma behind it, the last ones with that before them. */
function without(page: Frame, bytes: Uint8Array, spans: readonly Span[], dropped: ReadonlySet<number>): Frame {
  const { envelope } = page;
  if (envelope.kind !== 'result') return page;
  const kept = spans.filter((_, at) => !dropped.has(at));
  const [first, last] = [spans[0], spans.at(-1)];
  if (first === undefined || last === undefined) return page;
  const edits: Edit[] = [
    { start: first.start, end: last.end, with: Buffer.concat(kept.flatMap((span, at) => piece(bytes, span, at))) },
  ];
  const made = join(splice(page.bytes, page.length, edits, Number.POSITIVE_INFINITY)).subarray(0, -1);
  const shift = made.length - page.length;
  const moved = (span: Span): Span =>
    span.start >= last.end ? { start: span.start + shift, end: span.end + shift } : span;
  const { start, end } = envelope.result;
  return {
    bytes: [made],
    length: made.length,
    envelope: { ...envelope, idSpan: moved(envelope.idSpan), result: { start, end: end + shift } },
    view: null,
  };
}

function piece(bytes: Uint8Array, { start, end }: Span, at: number): Uint8Array[] {
  const element = bytes.subarray(start, end);
  return at === 0 ? [element] : [Buffer.from(','), element];
}
