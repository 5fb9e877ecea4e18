import { expect, test } from 'vitest';
import { type ClientStore, ClientTokens } from './client-tokens.ts';
import { McpdError } from './errors.ts';

/** A store that is a list. */
function store() {
  const rows: ReturnType<ClientStore['allClients']> = [];
  const kept: ClientStore = {
    allClients: () => [...rows],
    addClient: (client) => {
      if (rows.some(({ name }) => name === client.name)) return false;
      rows.push(client);
      return true;
    },
    removeClient: (name) => {
      const at = rows.findIndex((row) => row.name === name);
      if (at >= 0) rows.splice(at, 1);
      return at >= 0;
    },
  };
  return { kept, rows };
}

const codeOf = (work: () => unknown) => {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof McpdError) return thrown.code;
    throw thrown;
  }
  return null;
};

test('a token lets its client in, also after a restart, and is kept nowhere', () => {
  const { kept, rows } = store();
  const token = new ClientTokens(kept).add('inspector', 7);
  expect(token).toMatch(/^mcpd_[A-Za-z0-9_-]{43}$/);
  expect(JSON.stringify(rows)).not.toContain(token.slice(5));
  const later = new ClientTokens(kept);
  expect([later.ownerOf(token), later.ownerOf(`${token}x`), later.ownerOf('')]).toEqual(['inspector', null, null]);
  expect(later.list()).toEqual([{ name: 'inspector', addedAt: 7 }]);
});

test('two clients have two tokens, and each is taken away alone', () => {
  const tokens = new ClientTokens(store().kept);
  const [a, b] = [tokens.add('b', 1), tokens.add('a', 2)];
  expect(tokens.list().map(({ name }) => name)).toEqual(['a', 'b']);
  tokens.remove('b');
  expect([tokens.ownerOf(a), tokens.ownerOf(b)]).toEqual([null, 'a']);
});

test('names are refused that are taken, that cannot be typed, or that nobody has', () => {
  const tokens = new ClientTokens(store().kept);
  tokens.add('inspector', 1);
  expect(codeOf(() => tokens.add('inspector', 2))).toBe('NAME_TAKEN');
  for (const name of ['', '-x', 'a b', 'a\n', 'ä', 'x'.repeat(33)])
    expect([name, codeOf(() => tokens.add(name, 1))]).toEqual([name, 'NAME_INVALID']);
  expect(codeOf(() => tokens.remove('nobody'))).toBe('CLIENT_UNKNOWN');
});
