import { errnoOf, McpdError } from '../../errors.ts';
import { REMOTE_HEADER_BYTES_MAX } from '../../remote-limits.ts';

/** What went wrong between mcpd and a remote server; the word is in the error that the call gets. */
export type FaultReason =
  | 'unreachable'
  | 'tls'
  | 'timeout'
  /** The connection broke before or in the middle of an answer. */
  | 'cut'
  | 'http_status'
  | 'rate_limited'
  | 'auth_required'
  /** This request needs a login with more rights; others go on. */
  | 'insufficient_scope'
  /** The header that a person gave is not accepted. */
  | 'header_refused'
  | 'not_mcp'
  | 'too_large'
  | 'redirect'
  | 'session_lost'
  | 'secret_missing';

/** One request that failed without a JSON-RPC answer. */
export class RemoteFault extends McpdError {
  readonly reason: FaultReason;
  /** The HTTP status, where one came. */
  readonly status: number | null;

  constructor(reason: FaultReason, what: string, more: { why?: string; fix?: string; status?: number } = {}) {
    const { status, ...parts } = more;
    super(CODES[reason] ?? 'SERVER_UNREACHABLE', { what, ...parts });
    this.name = 'RemoteFault';
    this.reason = reason;
    this.status = status ?? null;
  }

  /** Nothing of the request can have reached the server. */
  get isUnsent(): boolean {
    return this.reason === 'unreachable' || this.reason === 'tls';
  }

  /** May be over in a while, so that another start can help. */
  get isPassing(): boolean {
    const { reason, status } = this;
    if (reason === 'http_status') return status !== null && status >= 500;
    return ['unreachable', 'tls', 'timeout', 'cut', 'rate_limited'].includes(reason);
  }
}

/** A thrown error of a request to `place` as a fault. */
export function faultOf(thrown: unknown, place: string): RemoteFault {
  if (thrown instanceof RemoteFault) return thrown;
  if (thrown instanceof McpdError && thrown.code === 'PROXY_FAILED')
    return new RemoteFault('unreachable', `could not reach ${place}`, {
      why: thrown.message,
      ...(thrown.parts.fix === undefined ? {} : { fix: thrown.parts.fix }),
    });
  if (thrown instanceof McpdError) {
    const { what, ...more } = thrown.parts;
    return new RemoteFault(/^(SECRET|VARIABLE)/.test(thrown.code) ? 'secret_missing' : 'auth_required', what, more);
  }
  const code = errnoOf(thrown) ?? '';
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  const unreachable = UNREACHABLE[code];
  if (unreachable !== undefined)
    return new RemoteFault('unreachable', `could not reach ${place}`, { why: unreachable });
  if (TLS.test(code)) {
    const trust = /SELF_SIGNED|UNABLE_TO|DEPTH_ZERO|UNTRUSTED/.test(code);
    const fix = trust
      ? 'NODE_EXTRA_CA_CERTS=/path/to/ca.pem in the environment of mcpd, then: mcpd restart'
      : undefined;
    return new RemoteFault('tls', `no secure connection to ${place}`, {
      why: `${text} (${code})`,
      ...(fix === undefined ? {} : { fix }),
    });
  }
  if (code === 'HPE_HEADER_OVERFLOW') {
    const why = `its headers are longer than ${REMOTE_HEADER_BYTES_MAX / 1024} KiB`;
    return new RemoteFault('too_large', `the answer of ${place} was dropped`, { why });
  }
  if (code.startsWith('HPE_')) return new RemoteFault('not_mcp', `${place} does not speak HTTP`, { why: text });
  if (code.startsWith('Z_') || code.startsWith('ERR__ERROR_FORMAT') || code.startsWith('ERR_BROTLI'))
    return new RemoteFault('cut', `the compressed answer of ${place} is damaged`, { why: text });
  return new RemoteFault('cut', `the connection to ${place} broke before an answer was whole`, {
    why: code === '' ? text : code,
  });
}

/** `https://example.com/mcp` without what may be secret in it. */
export function placeOf(url: URL): string {
  return `${url.protocol}//${url.host}${url.pathname}`;
}

// — internal —

const CODES: Partial<Record<FaultReason, 'SECRET_MISSING' | 'UNAUTHORIZED' | 'FORBIDDEN'>> = {
  secret_missing: 'SECRET_MISSING',
  auth_required: 'UNAUTHORIZED',
  header_refused: 'UNAUTHORIZED',
  insufficient_scope: 'FORBIDDEN',
};

const UNREACHABLE: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused; nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name cannot be looked up just now; is there a network?',
  EHOSTUNREACH: 'no way leads to that host',
  ENETUNREACH: 'there is no network',
  ENETDOWN: 'there is no network',
  EADDRNOTAVAIL: 'that address cannot be reached from here',
  ETIMEDOUT: 'the host does not answer',
};

const TLS = /^(ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|CRL_|HOSTNAME_MISMATCH|EPROTO$)/;
