import type { InstallPlan } from '../src/api/contract.ts';
import { publishedText } from '../src/shown-plan.ts';
import { showable } from '../src/text.ts';
import type { Context } from './context.ts';

/** What an install comes to, before anything happens. */
export function showPlan(plan: InstallPlan, { output }: Context): void {
  const { sayPaint: paint } = output;
  const facts: [string, string | null][] = [
    ['install', `${plan.name}${plan.description === '' ? '' : `: ${plan.description}`}`],
    ['from', plan.published === null ? null : publishedText(plan.published)],
    ['fetch', plan.fetch],
    [/^https?:/.test(plan.commandLine) ? 'reach' : 'run', plan.commandLine],
  ];
  for (const [label, value] of facts)
    if (value !== null) output.say(`${paint.bold(label.padEnd(7))}  ${showable(value)}`);
  for (const warning of plan.warnings) output.say(`${paint.yellow('warning')}  ${showable(warning)}`);
}
