import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
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

/**
 * Events must come out as soon as they are in: nothing waits for a full block, and a stream that is cut gives what it had. The decoders are
 * loaded by the first answer that needs one: most daemons never see it.
 */
function decoderOf(encoding: string): Transform | null {
  const { constants, createBrotliDecompress, createGunzip, createInflate } = process.getBuiltinModule('node:zlib');
  const asItComes = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  switch (encoding) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(asItComes);
    case 'deflate':
      return createInflate(asItComes);
    case 'br':
      return createBrotliDecompress({
        flush: constants.BROTLI_OPERATION_FLUSH,
        finishFlush: constants.BROTLI_OPERATION_FLUSH,
      });
    default:
      return null;
  }
}
