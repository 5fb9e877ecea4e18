import { asBuffer, join, slice } from '../../src/protocol/bytes.ts';
import type { Bytes } from '../../src/protocol/frame.ts';
import type { Resume, ResumedList } from '../../src/protocol/preamble.ts';
import { type HostLine, paramsText, stringParam } from './host-line.ts';
import { scanned } from './recognise.ts';

const LISTS: Partial<Record<string, ResumedList>> = {
  'tools/list': 'tools',
  'prompts/list': 'prompts',
  'resources/list': 'resources',
  'resources/templates/list': 'templates',
};

/** What the host and mcpd agreed upon. Kept as the lines that came: they are looked into when a daemon was lost, which may be never. */
export class Remembered {
  /** The host's `notifications/initialized`. */
  initialized: HostLine | null = null;
  /** Accepted subscriptions of a legacy host: raw params by URI. */
  readonly subscriptions = new Map<string, string>();
  #initialize: { question: HostLine; answer: Bytes } | null = null;
  #logLevel: string | null = null;
  #era: Resume['era'] = null;
  readonly #lists = new Map<ResumedList, Bytes>();

  /** mcpd granted what `question` asked. */
  accepted(question: HostLine, answer: Bytes): void {
    const { method } = question;
    if (method === null) return;
    const list = LISTS[method];
    if (list !== undefined) this.#lists.set(list, answer);
    else this.#agreed(method, question, answer);
  }

  /** Agreed by the handshake; null when there was none. */
  get revision(): string | null {
    return this.#initialize === null ? null : grantedRevision(this.#initialize.answer);
  }

  resume(digest: (bytes: Bytes) => string): Resume | null {
    if (this.#era === null && this.#lists.size === 0) return null;
    const listDigests: Resume['listDigests'] = {};
    for (const [list, answer] of this.#lists) {
      const result = resultOf(answer);
      if (result !== null) listDigests[list] = digest(result);
    }
    return {
      initializeParams: this.#initialize === null ? null : paramsText(this.#initialize.question),
      protocolVersion: this.revision,
      initialized: this.#initialize !== null && this.initialized !== null,
      logLevel: this.#logLevel,
      // Without a handshake only a modern host is given lists.
      era: this.#era ?? 'modern',
      listDigests,
    };
  }

  #agreed(method: string, question: HostLine, answer: Bytes): void {
    switch (method) {
      case 'initialize':
        this.#initialize = { question, answer };
        this.#era = 'legacy';
        break;
      case 'server/discover':
      case 'subscriptions/listen':
        this.#era ??= 'modern';
        break;
      case 'logging/setLevel':
        this.#logLevel = stringParam(question, 'level');
        break;
      case 'resources/subscribe': {
        const uri = stringParam(question, 'uri');
        if (uri !== null) this.subscriptions.set(uri, paramsText(question));
        break;
      }
      case 'resources/unsubscribe':
        this.subscriptions.delete(stringParam(question, 'uri') ?? '');
        break;
      default:
    }
  }
}

// — internal —

/** The bytes of the `result` of an answer. */
function resultOf(answer: Bytes): Bytes | null {
  const frame = scanned(answer);
  return frame?.envelope.kind === 'result' ? slice(frame.bytes, frame.envelope.result) : null;
}

function grantedRevision(answer: Bytes): string | null {
  const result = resultOf(answer);
  if (result === null) return null;
  const revision = (JSON.parse(asBuffer(join(result)).toString('utf8')) as { protocolVersion?: unknown })
    .protocolVersion;
  return typeof revision === 'string' ? revision : null;
}
