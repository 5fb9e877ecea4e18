import type { LogLine } from './log-lines.ts';

/** How bad a line on stderr says it is. What says nothing is `info`: stderr is where servers write all they have to say. */
export function levelOf(text: string): LogLine['level'] {
  const start = text.slice(0, LEVEL_WITHIN_CHARS);
  if (!HINT.test(start)) return 'info';
  return LEVELS.find(([, patterns]) => patterns.some((pattern) => pattern.test(start)))?.[0] ?? 'info';
}

// — internal —

/** A level stands before what it is of; the rest is not looked at. */
const LEVEL_WITHIN_CHARS = 160;

/** What every pattern below needs: most lines are told at once, also in a flood. */
const HINT = /err|exception|fatal|critical|panic|alert|emergency|warn|uncaught|unhandled|traceback|[456]0/i;

/**
 * In each list: fields of JSON (those of pino are numbers) and of logfmt; a word in brackets; a word in capitals behind nothing but times,
 * numbers and punctuation, or as a column of its own; what a line begins with.
 */
const LEVELS: readonly (readonly [LogLine['level'], readonly RegExp[]])[] = [
  [
    'error',
    [
      /"(?:level|severity|levelname)"\s*:\s*(?:"(?:err(?:or)?|fatal|critical|panic|emergency|alert)"|[56]0\b)/i,
      /\b(?:level|lvl|severity)=["']?(?:err(?:or)?|fatal|critical|panic)\b/i,
      /[[(<](?:err(?:or)?|fatal|critical|panic)[\])>]/i,
      /^[^a-z]*?\b(?:ERR(?:OR)?|FATAL|CRITICAL|PANIC)\b/,
      /\s[-|:]\s*(?:ERROR|FATAL|CRITICAL|PANIC)\s*[-|:]/,
      /^(?:npm )?(?:err(?:or)?!|error:|fatal(?: error)?:|panic:|uncaught |unhandled|traceback \(most recent call last\))/i,
      /^[A-Za-z.]*(?:Error|Exception)\b.{0,24}:/,
    ],
  ],
  [
    'warn',
    [
      /"(?:level|severity|levelname)"\s*:\s*(?:"warn(?:ing)?"|40\b)/i,
      /\b(?:level|lvl|severity)=["']?warn(?:ing)?\b/i,
      /[[(<]warn(?:ing)?[\])>]/i,
      /^[^a-z]*?\bWARN(?:ING)?\b/,
      /\s[-|:]\s*WARN(?:ING)?\s*[-|:]/,
      /^(?:npm |\(node:\d+\) )?(?:\[\w+\] )?(?:warn(?:ing)?[:!]|warn )/i,
      /^\(node:\d+\) (?:\[\w+\] )?\w*Warning:/,
    ],
  ],
];
