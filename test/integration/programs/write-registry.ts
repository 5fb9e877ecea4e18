import { writeSync } from 'node:fs';
import { openRegistry } from '../../../registry/registry.ts';
import { definitionNo, memoryNo } from './registry-samples.ts';

/**
 * Opens the registry at argv[2] and writes into it until it is killed, beginning with number argv[3]. After each saved server it says
 * its number on stdout, by a write that is done when it returns: what was said must be found later.
 */
const registry = openRegistry({ registry: process.argv[2] ?? '' });
for (let number = Number(process.argv[3]); ; number++) {
  registry.saveServer(definitionNo(number), memoryNo(number));
  writeSync(1, `${number}\n`);
  registry.ledger.add({
    instance: 'i',
    generation: number,
    server: 's',
    pid: 1,
    pgid: 1,
    startTime: '1',
    marker: 'm',
    nonce: 'n',
    at: number,
  });
  registry.saveNames([
    { kind: 'tool', exposed: `tool-${number}`, server: definitionNo(number).name, raw: `raw-${number}` },
  ]);
  registry.saveMemory(definitionNo(number).name, memoryNo(number));
  registry.ledger.remove('i', number);
  if (number % 7 === 0) registry.removeServer(definitionNo(number - 1).name);
}
