import { McpdError } from '../../errors.ts';
import { NPM_FETCH_RETRIES, NPM_FETCH_RETRY_MAX_MS, NPM_FETCH_RETRY_MIN_MS } from '../../operation-limits.ts';
import { runTool, type ToolProgram, type ToolRun, type ToolRunOptions } from './run-tool.ts';

/** What every install by npm has in common. */

export function installArguments(request: { registry: string | null; allowScripts: boolean }): string[] {
  return [
    ...['--json', '--loglevel=http', '--package-lock=true', '--global=false', '--dry-run=false'],
    ...['--no-audit', '--no-fund', '--no-update-notifier', '--no-progress', '--install-strategy=hoisted'],
    ...reachArguments(request),
    // Newer npms run scripts of approved packages only; a person has just approved them all.
    ...(request.allowScripts ? ['--ignore-scripts=false', '--dangerously-allow-all-scripts'] : ['--ignore-scripts']),
  ];
}

export function reachArguments({ registry }: { registry: string | null }): string[] {
  return [
    `--fetch-retries=${NPM_FETCH_RETRIES}`,
    `--fetch-retry-mintimeout=${NPM_FETCH_RETRY_MIN_MS}`,
    `--fetch-retry-maxtimeout=${NPM_FETCH_RETRY_MAX_MS}`,
    ...(registry === null ? [] : [`--registry=${registry}`]),
  ];
}

/** @throws McpdError FETCH_FAILED when it takes too long */
export async function runNpm(
  npm: ToolProgram,
  args: readonly string[],
  run: ToolRunOptions,
  label: string,
): Promise<ToolRun> {
  const outcome = await runTool(npm, args, run);
  if (!outcome.timedOut) return outcome;
  throw new McpdError('FETCH_FAILED', {
    what: `${label} could not be fetched`,
    why: `npm was not done after ${run.timeoutMs / 1000} seconds`,
    fix: 'check the network, the proxy and the registry: npm config get registry',
  });
}

/** Turns npm's lines into now and then a word for people. */
export function progressOf(report: (detail: string) => void): (line: string) => void {
  let fetched = 0;
  let told = performance.now();
  return (line) => {
    if (!/^npm http (fetch GET 200|cache)/.test(line)) return;
    fetched += 1;
    if (performance.now() - told < REPORT_EVERY_MS) return;
    told = performance.now();
    report(`${fetched} ${fetched === 1 ? 'answer' : 'answers'} from the registry so far`);
  };
}

// — internal —

const REPORT_EVERY_MS = 500;
