import {
  CALL_TIMEOUT_MS,
  IDLE_STOP_MS,
  MEMORY_HARD_BYTES,
  MEMORY_SOFT_BYTES,
  SERVER_LINE_BYTES_MAX,
  START_TIMEOUT_MS,
} from '../../limits.ts';

/** What null among the limits of a server (`ServerLimits`) stands for. */
export const LIMITS_WHEN_NULL = {
  startTimeoutMs: START_TIMEOUT_MS,
  callTimeoutMs: CALL_TIMEOUT_MS,
  idleStopMs: IDLE_STOP_MS,
  lineBytesMax: SERVER_LINE_BYTES_MAX,
  memorySoftBytes: MEMORY_SOFT_BYTES,
  memoryHardBytes: MEMORY_HARD_BYTES,
} as const;
