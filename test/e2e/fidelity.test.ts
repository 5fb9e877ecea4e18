import { expect } from 'vitest';
import { test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { until } from '../harness/until.ts';

const MIB = 1024 * 1024;

/** What parsing and printing again would change, lose, or choke on. */
const RESULTS = [
  '{"content":[],"structuredContent":{"id":9007199254740993,"n":-12345678901234567890,"f":1.10,"e":1e400,"z":-0}}',
  '{"content":[{"type":"hologram","beams":[{"λ":1}]},{"type":"text","text":"x","priority":0.30}],"_meta":{"a/b":null}}',
  '{"content":[],"isError":true,"tomorrow":{"__proto__":{"polluted":true},"constructor":{"prototype":1}}}',
  '{"__proto__":{"x":1},"content":[]}',
  '{ "content" : [ ] , "spaces" : "\\u0041\\/\\ud83d\\ude42 é 中 🙂 \\u2028" }',
  '{"content":[],"twice":1,"twice":2}',
  `{"content":[],"deep":${'['.repeat(200)}${']'.repeat(200)}}`,
  '{}',
];

test.for([[[]], [['--id-first']]] as const)(
  'results pass byte for byte, whatever is in them (%s)',
  async ([flags], { machine }) => {
    await machine.add('verbatim', 'verbatim', flags);
    const host = await machine.connected();
    for (const result of RESULTS) {
      const { line } = await host.askForLine('tools/call', { name: 'verbatim__say', arguments: { result } });
      expect(line.toString()).toContain(result);
    }
    const error = '{"code":-32042,"message":"of its own","data":{"big":9007199254740993,"__proto__":1},"more":[1.0]}';
    const { line } = await host.askForLine('tools/call', { name: 'verbatim__fault', arguments: { error } });
    expect(line.toString()).toContain(
      '"code":-32042,"message":"of its own","data":{"big":9007199254740993,"__proto__":1}',
    );
  },
);

test('arguments and ids reach the server and come back as they were written', async ({ machine }) => {
  await machine.add('verbatim', 'verbatim');
  const host = await machine.connected();
  const args = '{"n":12345678901234567890,"__proto__":{"a":1},"f":1.10,"s":"\\u00e9é\\/","twice":1,"twice":2}';
  const meta = '"_meta":{"vendor/x":9007199254740993}';
  const id = '12345678901234567890';
  host.sendRaw(
    `{"jsonrpc":"2.0","method":"tools/call","id":${id},"params":{"name":"verbatim__heard","arguments":${args},${meta}}}\n`,
  );
  await until('the answer', () => host.lines.some((line) => line.includes(`"id":${id}`)));
  const heard = textOf(await host.call('verbatim__heard'));
  expect(heard).toContain(args);
  expect(heard).toContain('"vendor/x":9007199254740993');
});

test('entries of lists keep their bytes; only the name is another', async ({ machine }) => {
  await machine.add('verbatim', 'verbatim');
  const host = await machine.connected();
  const { line } = await host.askForLine('tools/list');
  const text = line.toString();
  expect(text).toContain(
    '"maximum":9007199254740993,"__proto__":{"a":1}},"vendor":{"big":-12345678901234567890,"e":1e400}',
  );
  expect(text).toContain('"vendor":[1.10,null],"name":"verbatim__heard","description":"\\u00e9 and é \\ud83d\\ude42"');
});

test.for([
  ['text', []],
  ['numbers', ['--id-first']],
  ['dense', []],
] as const)('a result of 50 MB of %s passes byte for byte', async ([kind, flags], { machine }) => {
  await machine.add('big', 'big', flags);
  const host = await machine.connected();
  const bytes = 50 * 1000 * 1000;
  const { line } = await host.askForLine(
    'tools/call',
    { name: 'big__blob', arguments: { bytes, kind } },
    { timeoutMs: 60_000 },
  );
  const expected = Buffer.from(FILL[kind](bytes));
  const at = line.indexOf('{', line.indexOf('"result":'));
  expect(line.subarray(at, at + expected.length).equals(expected)).toBe(true);
  expect(line.length - expected.length).toBeLessThan(100);
  expect(textOf(await host.call('big__small'))).toBe('small');
});

test('a line of 20 MB passes, one over the limit of its server fails that call alone, and the server lives on', async ({
  machine,
}) => {
  await machine.add('big', 'big', [], ['--line-max', '25MB']);
  const host = await machine.connected();
  expect(textOf(await host.call('big__small'))).toBe('small');
  const { pid } = await machine.server('big');
  expect(textOf(await host.call('big__blob', { bytes: 20 * MIB })).length).toBeGreaterThanOrEqual(20 * MIB);
  const [beside, over] = await Promise.all([
    host.call('big__small'),
    host.call('big__blob', { bytes: 40 * MIB }, { timeoutMs: 60_000 }),
  ]);
  expect(textOf(beside)).toBe('small');
  expect(over.error?.message).toMatch(/limit of 25 MiB/);
  expect(over.error?.data).toMatchObject({ reason: 'too-long' });
  expect(textOf(await host.call('big__small'))).toBe('small');
  expect((await machine.server('big')).pid).toBe(pid);
});

test('an envelope that two readers would read differently is refused', async ({ machine }) => {
  await machine.add('verbatim', 'verbatim');
  const host = await machine.connected();
  const before = machine.records('call').length;
  const call = '"jsonrpc":"2.0","method":"tools/call","params":{"name":"verbatim__heard"}';
  host.sendRaw(`{"id":1001,"id":1002,${call}}\n`);
  host.sendRaw(`{"id":1003,"method":"ping",${call}}\n`);
  host.sendRaw('{"id":1004,"jsonrpc":"2.0","method":"tools/call","params":{"name":"verbatim__heard"}\n');
  expect(await host.result('ping')).toEqual({});
  const refusals = host.messages.filter(({ error }) => error !== undefined);
  expect(refusals).toHaveLength(3);
  for (const { error } of refusals) expect([-32_700, -32_600]).toContain(error?.code);
  expect(machine.records('call')).toHaveLength(before);
});

// — internal —

/** As test/servers/big.mjs fills them. */
const FILL = {
  text: (bytes: number) => JSON.stringify({ content: [{ type: 'text', text: 'mcpd '.repeat(Math.ceil(bytes / 5)) }] }),
  dense: (bytes: number) =>
    `{"content":[],"structuredContent":{"rows":[${'{"a":1,"b":[true,null]},'.repeat(Math.ceil(bytes / 24))}{}]}}`,
  numbers: (bytes: number) =>
    `{"content":[],"structuredContent":{"rows":[${'9007199254740993,'.repeat(Math.ceil(bytes / 17))}0]}}`,
};
