import { expect, test } from 'vitest';
import { errorText, notificationText, requestText, resultText } from './jsonrpc.ts';

test('messages of mcpd are JSON-RPC 2.0 on one line, with ids and bodies as they are given', () => {
  expect(resultText('"a"', '{"n":1.0}')).toBe('{"jsonrpc":"2.0","id":"a","result":{"n":1.0}}');
  expect(errorText(null, -32_700, 'a "b"\nc')).toBe(
    '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"a \\"b\\"\\nc"}}',
  );
  expect(errorText('9007199254740993', 1, 'm', { x: 1 })).toBe(
    '{"jsonrpc":"2.0","id":9007199254740993,"error":{"code":1,"message":"m","data":{"x":1}}}',
  );
  expect(requestText(7, 'a/b', null)).toBe('{"jsonrpc":"2.0","id":7,"method":"a/b"}');
  expect(notificationText('n', '{"a":1}')).toBe('{"jsonrpc":"2.0","method":"n","params":{"a":1}}');
});
