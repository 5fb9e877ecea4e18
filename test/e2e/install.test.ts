import { expect } from 'vitest';
import { test } from '../harness/machine.ts';

test('in an empty home, installing weather prints its tools and the entry for a host', async ({ machine }) => {
  const t0=Date.now();
  const said = await machine.ok('install', 'weather');
  console.log(Date.now()-t0); console.log(said);
  expect(said).toContain('weather__get_current_weather');
  const t1=Date.now();
  console.log(await machine.ok('status'), Date.now()-t1);
  const t2=Date.now();
  await machine.ok('down'); console.log('down', Date.now()-t2);
  const t3=Date.now();
  await machine.startDaemon(); console.log('start', Date.now()-t3);
  const t4=Date.now();
  await machine.ok('down'); console.log('down', Date.now()-t4);
});
