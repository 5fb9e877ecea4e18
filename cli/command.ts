import type { Context } from './context.ts';

/** One option of a command: parsed, shown in help and completed from this one description. */
export interface Option {
  kind: 'flag' | 'value' | 'values';
  short?: string;
  /** What stands for the value in help: `--name NAME`. */
  value?: string;
  help: string;
  /** What a shell completes as its value. */
  complete?: 'file' | readonly string[];
}

/** What the operands of a command are, for completion and for errors. */
export interface Operands {
  min: number;
  max: number;
  /** What one is called in an error: `a server's name`. */
  noun: string;
  complete?: 'server' | 'folder' | readonly string[];
}

export interface Command {
  name: string;
  alias?: string;
  group: 'servers' | 'tools' | 'daemon';
  /** One line, in the list of commands and at the top of its help. */
  summary: string;
  /** After `mcpd`: `install NAME|npm:PKG[@VERSION]|./folder [-- ARGS…]`. */
  usage: string;
  operands: Operands;
  /** What stands after `--`; absent when the command takes nothing there. */
  rest?: {
    noun: string;
    required: boolean;
    /** The option that can take its place. */
    instead?: string;
  };
  options: Readonly<Record<string, Option>>;
  /** Further lines of its help. */
  notes?: readonly string[];
  examples: readonly (readonly [line: string, meaning: string])[];
  /** Rewrites what `parseArgs` of Node cannot express. */
  rewrite?: (argv: readonly string[]) => string[];
  load: () => Promise<Run>;
}

/** Resolves to the exit code; nothing is 0. */
type Run = (parsed: Parsed, context: Context) => Promise<number> | Promise<void> | Promise<number | undefined>;

/** The command line of one command, checked against its description. */
export interface Parsed {
  operands: readonly string[];
  /** What stood after `--`. */
  rest: readonly string[];
  flag(name: string): boolean;
  value(name: string): string | undefined;
  values(name: string): readonly string[];
}

export const NO_OPERANDS: Operands = { min: 0, max: 0, noun: 'an operand' };
export const ONE_SERVER: Operands = { min: 1, max: 1, noun: "a server's name", complete: 'server' };
export const SOME_SERVERS: Operands = { min: 1, max: 100, noun: "a server's name", complete: 'server' };
export const JSON_OPTION: Option = { kind: 'flag', help: 'print JSON (docs/cli-json.md)' };
