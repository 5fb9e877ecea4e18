import type { PlanFacts, PublishedAt } from './search.ts';

/** What an install comes to, before anything happens. */

/** One thing to ask a person before an install. */
export interface InputSpec {
  name: string;
  description: string;
  required: boolean;
  secret: boolean;
  default: string | null;
  choices: string[] | null;
}

export interface InstallPlan extends PlanFacts {
  name: string;
  description: string;
  /** What will be fetched: `npm:@modelcontextprotocol/server-memory@2026.7.4`, or null for bundled servers and folders. */
  fetch: string | null;
  /** What its files must be, as SRI or a digest: one hash, or one for each file, of which a machine takes one; null where nobody was asked, or tells. */
  integrity: string | null;
  /** Whose it is, as far as its description tells. */
  publisher: string | null;
  /** Inputs that still need a value. */
  inputs: InputSpec[];
  /** The exact command line, with placeholders for what is not known yet. */
  commandLine: string;
  warnings: string[];
  /** What an MCP registry says of it; null for what is from elsewhere. */
  published: PublishedAt | null;
  /** Which of several packages and remotes it is, and why: `oci, as this machine cannot run pypi (no uv or Python 3)…`; null where there was nothing to choose. */
  choice: string | null;
}
