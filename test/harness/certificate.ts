import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, 'tls');

/** Good until 2126 for far.example and as.example, which no network has; its key is public, and protects nothing. */
export const CERTIFICATE = {
  file: join(folder, 'certificate.pem'),
  key: readFileSync(join(folder, 'key.pem')),
  cert: readFileSync(join(folder, 'certificate.pem')),
};
