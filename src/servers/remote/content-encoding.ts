import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { RemoteFault } from './fault.ts';

/** What mcpd can undo. Whoever reads counts the bytes that come out. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br';

/** The body as it was before it was compressed. @throws {RemoteFault} by a method that nobody asked for */
export function decoded(response: IncomingMessage, place: string): Readable {
  const encoding = response.headers['content-encoding']?.trim().toLowerCase() ?? '';
  if (encoding === '' || encoding === 'identity') return response;
  const decoder = decoderOf(encoding);
  if (decoder === null) {
    response.destroy();
    const why = `it is compressed by "${encoding.slice(0, 40)}", which was not offered`;
    throw new RemoteFault('not_mcp', `the answer of ${place} cannot be read`, { why });
  }
  // Both ends are destroyed when either breaks; the reader of the decoder is told.
  pipeline(response, decoder, () => undefined);
  return decoder;
}

// — internal —

/** Events must come out as soon as they are in: nothing waits for a full block, and a stream that is cut gives what it had. */
const AS_IT_COMES = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
const BROTLI_AS_IT_COMES = {
  flush: constants.BROTLI_OPERATION_FLUSH,
  finishFlush: constants.BROTLI_OPERATION_FLUSH,
};

function decoderOf(encoding: string): Transform | null {
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(AS_IT_COMES);
    case 'deflate':
      return createInflate(AS_IT_COMES);
    case 'br':
      return createBrotliDecompress(BROTLI_AS_IT_COMES);
    default:
      return null;
  }
}
