import { describe, expect, it } from 'vitest';
import type { ServerLimits } from '../../../../src/core/model.ts';
import { defaultTexts, limitsOf, textsOf } from './limit-text.ts';

const DEFAULTS: ServerLimits = {
  startTimeoutMs: null,
  callTimeoutMs: null,
  idleStopMs: null,
  lineBytesMax: null,
  memorySoftBytes: null,
  memoryHardBytes: null,
};

const EMPTY = textsOf(DEFAULTS);

describe('limits as a person writes them', () => {
  it('are empty where the default is taken, and else in the largest unit that keeps them whole', () => {
    expect(EMPTY).toEqual({ callTimeout: '', startTimeout: '', idle: '', memory: '', line: '' });
    const given = { ...DEFAULTS, callTimeoutMs: 90_000, startTimeoutMs: 1500, memorySoftBytes: 1024 ** 3 };
    expect(textsOf(given)).toMatchObject({ callTimeout: '90s', startTimeout: '1500ms', memory: '1GB' });
  });

  it('say what the defaults are', () => {
    expect(defaultTexts()).toEqual({
      callTimeout: '10m',
      startTimeout: '30s',
      idle: '15m',
      memory: '1GB',
      line: '64MB',
    });
  });

  it('change only what was changed, and take the default again where the text is gone', () => {
    const before = { ...DEFAULTS, callTimeoutMs: 90_000, idleStopMs: 60_000 };
    const texts = { ...textsOf(before), callTimeout: '', startTimeout: ' 1.5m ' };
    expect(limitsOf(texts, before)).toEqual({ limits: { callTimeoutMs: null, startTimeoutMs: 90_000 } });
    expect(limitsOf(textsOf(before), before)).toEqual({ limits: {} });
  });

  it('end a server at twice the memory at which it is renewed', () => {
    expect(limitsOf({ ...EMPTY, memory: '512 mb' }, DEFAULTS)).toEqual({
      limits: { memorySoftBytes: 512 * 1024 ** 2, memoryHardBytes: 1024 ** 3 },
    });
    const before = { ...DEFAULTS, memorySoftBytes: 1024, memoryHardBytes: 2048 };
    expect(limitsOf({ ...textsOf(before), memory: '' }, before)).toEqual({
      limits: { memorySoftBytes: null, memoryHardBytes: null },
    });
  });

  it.each(['30', 's', '-1s', '0s', '400d', '1e9s', '30 seconds'])('%s is no length of time', (idle) => {
    expect(limitsOf({ ...EMPTY, idle, line: '1MB' }, DEFAULTS)).toMatchObject({
      errors: { idle: expect.stringContaining('30s') },
    });
  });

  it.each(['64', '0MB', '2000GB', '1TB', 'x'])('%s is no size', (line) => {
    expect(limitsOf({ ...EMPTY, line }, DEFAULTS)).toMatchObject({ errors: { line: expect.stringContaining('64MB') } });
  });
});
