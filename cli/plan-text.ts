import type { InstallPlan } from '../src/api/contract.ts';
import { hashText, publishedText } from '../src/shown-plan.ts';
import { showable } from '../src/text.ts';
import type { Context } from './context.ts';

/** What an install comes to, before anything happens. */
export function showPlan(plan: InstallPlan, { output }: Context): void {
  const { sayPaint: paint } = output;
  const facts: [string, string | null][] = [
    ['install', `${plan.name}${plan.description === '' ? '' : `: ${plan.description}`}`],
    ['from', plan.published === null ? null : publishedText(plan.published)],
    ['fetch', plan.fetch],
    ['chosen', plan.choice],
    ['version', versionText(plan)],
    ['by', plan.publisher],
    ['hash', hashText(plan)],
    [/^https?:/.test(plan.commandLine) ? 'reach' : 'run', plan.commandLine],
    ['env', namesText(plan.variables)],
    ['asks', namesText(plan.inputs.map(({ name }) => name))],
  ];
  for (const [label, value] of facts)
    if (value !== null) output.say(`${paint.bold(label.padEnd(7))}  ${showable(value)}`);
  for (const warning of plan.warnings) output.say(`${paint.yellow('warning')}  ${showable(warning)}`);
}

// — internal —

function namesText(names: readonly string[]): string | null {
  return names.length === 0 ? null : names.join(', ');
}

function versionText({ versionIs }: InstallPlan): string | null {
  if (versionIs === 'none') return null;
  return versionIs === 'exact' ? 'exact' : 'floats: the one of today is taken, and kept until you update it';
}
