/** The part of the contract about logs: `GET /api/servers/NAME/logs`. */

export interface LogLine {
  at: number;
  /** `protocol`: a message between mcpd and the server, told while somebody watches. Such lines are in no file. */
  source: 'stderr' | 'stdout' | 'lifecycle' | 'protocol';
  /**
   * Of a stderr line: what it says of itself (`[error]`, `level=warn`), else `info`. A protocol line is of `error` when it tells of an
   * error, of `warn` when it tells of lines that are missing.
   */
  level: 'info' | 'warn' | 'error';
  text: string;
  /** What a protocol line tells of; absent where it speaks of the lines themselves. */
  message?: ProtocolMessage;
}

/** What is told of a message: never anything of its body but the name of the tool. Names are masked and of bounded length. */
export interface ProtocolMessage {
  direction: 'to-server' | 'from-server';
  kind: 'request' | 'answer' | 'notification' | 'error';
  /** Which process of the server. */
  instance: string;
  /** JSON-RPC id as written between mcpd and the server: `7` or `"a"`; null for a notification. */
  id: string | null;
  /** Of an answer or an error, that of the request it answers; null when that request is not known. */
  method: string | null;
  /** Of `tools/call`, in the server's own name. */
  tool: string | null;
  /** Of the whole message. */
  bytes: number;
  /** From the request to its answer. */
  tookMs: number | null;
  /** Of an error. */
  errorCode: number | null;
}
