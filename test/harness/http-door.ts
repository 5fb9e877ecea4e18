import { createServer, type Server } from 'node:http';
import { HttpFront, type HttpFrontOptions } from '../../src/hosts/http/front.ts';

/** The door by HTTP alone, on a port of its own. */
export interface HttpDoor {
  readonly front: HttpFront;
  readonly server: Server;
  readonly port: number;
  /** After `front.stop`. */
  close(): Promise<void>;
}

export async function openHttpDoor(options: Omit<HttpFrontOptions, 'sessionId'>): Promise<HttpDoor> {
  let count = 0;
  let port = 0;
  const front = new HttpFront({ ...options, sessionId: () => `h${++count}` });
  const server = createServer((incoming, outgoing) => front.handle(incoming, outgoing, port));
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const address = server.address();
  port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    front,
    server,
    port,
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
