import { expect, test } from 'vitest';
import { registryAddressFault } from './registry-address.ts';

test.each([
  ['https://npm.acme.example/', null],
  ['https://npm.acme.example:8443/simple?x=1', null],
  ['http://localhost:4873/', null],
  ['http://127.0.0.1:4873', null],
  ['http://npm.acme.example/', 'without encryption'],
  ['https://ann:password@npm.acme.example/', 'a user or a password'],
  ['https://t0ken@npm.acme.example/', 'a user or a password'],
  ['http://ann:password@localhost/', 'a user or a password'],
  ['file:///srv/packages', 'no address of the web'],
  ['npm.acme.example', 'no address'],
])('%s as a registry: %s', (text, why) => {
  if (why === null) expect(registryAddressFault(text)).toBeNull();
  else expect(registryAddressFault(text)).toContain(why);
});
