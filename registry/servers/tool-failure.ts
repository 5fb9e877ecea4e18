import type { CallToolResult } from '@modelcontextprotocol/server';

interface FailureParts {
  what: string;
  why?: string;
  fix?: string;
}

/** A failure that the model and the person behind it can do something about; it reaches them as a tool result with `isError`. */
export class ToolFailure extends Error {
  readonly parts: FailureParts;

  constructor(parts: FailureParts, options?: { cause?: unknown }) {
    super(
      [parts.what, parts.why && `Why: ${parts.why}`, parts.fix && `Try: ${parts.fix}`].filter(Boolean).join('\n'),
      options,
    );
    this.name = 'ToolFailure';
    this.parts = parts;
  }
}

/** Runs a tool. A ToolFailure becomes its result; anything else is a fault of ours, which the SDK reports as one. */
export async function answering<R>(work: () => R | Promise<R>): Promise<R | CallToolResult> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}
