import { describe, expect, test } from 'vitest';
import { McpdError } from '../errors.ts';
import { addressDefinition, declaredAddress, nameOfAddress, remoteLaunch } from './address.ts';

const headers = (entries: Record<string, string>) =>
  new Map(Object.entries(entries).map(([name, value]) => [name, { value, secret: true }] as const));

function refusal(work: () => unknown): string {
  try {
    work();
  } catch (error) {
    if (error instanceof McpdError) return error.parts.why ?? '';
    throw error;
  }
  return '';
}

describe('a remote server', () => {
  test('keeps the value of a header apart, and the scheme of an Authorization in sight', () => {
    const { launch, secrets } = remoteLaunch({
      url: 'https://x.test/mcp',
      transport: 'auto',
      headers: headers({ Authorization: 'Bearer abc.def', 'X-Api-Key': 'k1' }),
    });
    expect(launch.headers).toEqual({
      Authorization: `Bearer \${secret:Authorization}`,
      'X-Api-Key': `\${secret:X_Api_Key}`,
    });
    expect(Object.fromEntries(secrets)).toEqual({ Authorization: 'abc.def', X_Api_Key: 'k1' });
  });

  test('keeps a reference and a plain value as they are', () => {
    const { launch, secrets } = remoteLaunch({
      url: 'https://x.test/mcp',
      transport: 'sse',
      headers: new Map([
        ['A', { value: `\${secret:OTHER}`, secret: true }],
        ['B', { value: 'plain', secret: false }],
      ]),
    });
    expect(launch).toMatchObject({ transport: 'sse', headers: { A: `\${secret:OTHER}`, B: 'plain' } });
    expect(secrets.size).toBe(0);
  });

  test('has an address that HTTP can reach, without credentials in it', () => {
    const at = (url: string) => refusal(() => remoteLaunch({ url, transport: 'auto', headers: new Map() }));
    expect(at('ftp://x.test')).toContain('no way to a server');
    expect(at('x.test/mcp')).toContain('no address');
    expect(at('https://me:pw@x.test')).toContain('a user or a password');
    expect(at('http://127.0.0.1:1/mcp')).toBe('');
  });

  test('has headers that can be sent, and none that mcpd sets', () => {
    const given = (name: string, value: string) =>
      refusal(() => remoteLaunch({ url: 'https://x.test', transport: 'auto', headers: headers({ [name]: value }) }));
    expect(given('A B', 'x')).toContain('cannot be the name of a header');
    expect(given('Mcp-Session-Id', 'x')).toContain('set by mcpd itself');
    expect(given('Host', 'x')).toContain('set by mcpd itself');
    expect(given('X', 'a\r\nEvil: 1')).toContain('a line break');
    expect(given('X', 'ok')).toBe('');
    const twice = () =>
      remoteLaunch({ url: 'https://x.test', transport: 'auto', headers: headers({ 'X-A': '1', 'x-a': '2' }) });
    expect(refusal(twice)).toContain('twice');
  });

  test('that is reached in the clear, or shows a credential, comes with a warning', () => {
    const warned = (url: string) => remoteLaunch({ url, transport: 'auto', headers: new Map() }).warnings;
    expect(warned('http://example.com/mcp')).toEqual([expect.stringContaining('without encryption')]);
    expect(warned('https://example.com/mcp?api_key=x')).toEqual([expect.stringContaining('(api_key)')]);
    for (const url of ['http://127.0.0.1:3000/mcp', 'http://localhost/mcp', 'http://[::1]:3/', 'https://example.com'])
      expect(warned(url), url).toEqual([]);
  });

  test('is called after its host', () => {
    expect(nameOfAddress('https://mcp.example.com/mcp')).toBe('example');
    expect(nameOfAddress('https://www.acme.dev/')).toBe('acme');
    expect(nameOfAddress('http://127.0.0.1:3000/mcp')).toBe('127.0.0.1');
    expect(nameOfAddress('http://localhost:3000/mcp')).toBe('localhost');
  });

  test('is registered with its address as its source', () => {
    const { definition } = addressDefinition({ name: 'acme', url: 'https://x.test/mcp', trial: true }, 5);
    expect(definition).toMatchObject({
      name: 'acme',
      source: { kind: 'url', ref: 'https://x.test/mcp' },
      launch: { kind: 'http', transport: 'auto', headers: {} },
      addedAt: 5,
    });
  });

  test('that a file declares takes the words of hosts for its transport, and keeps what looks secret apart', () => {
    const address = declaredAddress(
      { type: 'sse', headers: { Authorization: 'Bearer x', 'X-Team': 'blue' } },
      'https://x.test',
    );
    expect(address.transport).toBe('sse');
    expect(address.headers.get('Authorization')?.secret).toBe(true);
    expect(address.headers.get('X-Team')?.secret).toBe(false);
    expect(declaredAddress({ type: 'http' }, 'https://x.test').transport).toBe('auto');
    expect(declaredAddress({ type: 'http', transport: 'streamable-http' }, 'https://x.test').transport).toBe(
      'streamable-http',
    );
  });
});
