import { McpdError } from '../errors.ts';
import { ANSWER_CHUNK_HEAD_BYTES_MAX, ANSWER_HEAD_BYTES_MAX } from '../operation-limits.ts';

/**
 * Reads one HTTP/1.1 response from the daemon, as far as its own server writes them: a head, then a body of a known length, in chunks, or
 * until the end. Small on purpose: loading node:http costs the CLI 8 ms. Bytes in, parts out; no I/O.
 */
export class ResponseReader {
  status = 0;
  readonly headers = new Map<string, string>();
  /** Is the head there, and is the body complete? An end before `complete` means that the daemon was lost. */
  stage: 'head' | 'body' | 'complete' = 'head';
  private rest: Buffer = Buffer.alloc(0);
  private framing: Framing = { kind: 'until-end' };

  /**
   * The parts of the body that these bytes complete.
   * @throws {McpdError} DAEMON_LOST when this is no response of a daemon
   */
  push(bytes: Buffer): Buffer[] {
    this.rest = this.rest.length === 0 ? bytes : Buffer.concat([this.rest, bytes]);
    if (this.stage === 'head' && !this.takeHead()) return [];
    const parts: Buffer[] = [];
    for (let part = this.takeBody(); part !== null; part = this.takeBody()) parts.push(part);
    return parts;
  }

  /** The other side has closed. */
  end(): void {
    if (this.stage === 'body' && this.framing.kind === 'until-end') this.stage = 'complete';
  }

  private takeHead(): boolean {
    const end = this.rest.indexOf('\r\n\r\n');
    if (end === -1) {
      if (this.rest.length > ANSWER_HEAD_BYTES_MAX) throw notADaemon();
      return false;
    }
    const [first = '', ...lines] = this.rest.toString('latin1', 0, end).split('\r\n');
    const status = /^HTTP\/1\.1 (\d{3})/.exec(first)?.[1];
    if (status === undefined) throw notADaemon();
    this.status = Number(status);
    for (const line of lines) {
      const colon = line.indexOf(':');
      this.headers.set(line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim());
    }
    this.rest = this.rest.subarray(end + 4);
    this.stage = 'body';
    this.framing = this.framingOf();
    if (this.framing.kind === 'length' && this.framing.left === 0) this.stage = 'complete';
    return true;
  }

  private framingOf(): Framing {
    if (this.headers.get('transfer-encoding') === 'chunked') return { kind: 'chunked', left: null };
    const length = this.headers.get('content-length');
    if (length === undefined) return { kind: 'until-end' };
    if (!/^\d{1,15}$/.test(length)) throw notADaemon();
    return { kind: 'length', left: Number(length) };
  }

  /** The next part, or null when more bytes are needed. */
  private takeBody(): Buffer | null {
    if (this.stage !== 'body') return null;
    switch (this.framing.kind) {
      case 'until-end':
        return this.take(this.rest.length);
      case 'length': {
        const part = this.take(Math.min(this.rest.length, this.framing.left));
        this.framing.left -= part?.length ?? 0;
        if (this.framing.left === 0) this.stage = 'complete';
        return part;
      }
      case 'chunked':
        return this.takeChunk(this.framing);
    }
  }

  private takeChunk(chunked: Extract<Framing, { kind: 'chunked' }>): Buffer | null {
    if (chunked.left === null) {
      const end = this.rest.indexOf('\r\n');
      if (end === -1) {
        if (this.rest.length > ANSWER_CHUNK_HEAD_BYTES_MAX) throw notADaemon();
        return null;
      }
      const size = /^([0-9a-fA-F]{1,8})\s*(?:;|$)/.exec(this.rest.toString('latin1', 0, end))?.[1];
      if (size === undefined) throw notADaemon();
      this.rest = this.rest.subarray(end + 2);
      chunked.left = Number.parseInt(size, 16);
      if (chunked.left === 0) {
        this.stage = 'complete';
        return null;
      }
    }
    // A chunk is given on when it is whole with its line end: ours are single lines or small answers.
    if (this.rest.length < chunked.left + 2) return null;
    const part = this.take(chunked.left);
    this.rest = this.rest.subarray(2);
    chunked.left = null;
    return part;
  }

  private take(count: number): Buffer | null {
    if (count === 0) return null;
    const part = this.rest.subarray(0, count);
    this.rest = this.rest.subarray(count);
    return part;
  }
}

// — internal —

type Framing =
  | { kind: 'until-end' }
  | { kind: 'length'; left: number }
  /** `left` is null before the size of a chunk was read. */
  | { kind: 'chunked'; left: number | null };

function notADaemon(): McpdError {
  return new McpdError('DAEMON_LOST', {
    what: 'what answers on the control socket is not mcpd',
    fix: 'mcpd restart',
  });
}
