import type { SearchHit } from '../../../src/api/contract/search.ts';
import type { InputSpec, InstallPlan } from '../../../src/api/contract.ts';

/** What a person is told of an install before he is asked anything, as names and words. Pure. */
export function planFacts(hit: SearchHit, plan: InstallPlan): (readonly [string, string])[] {
  const isRemote = /^https?:/.test(plan.commandLine);
  return [
    ['From', sourceText(hit)],
    ['Package', plan.fetch ?? (isRemote ? 'none: it runs elsewhere' : 'none: it comes with mcpd')],
    ...(plan.choice === null ? [] : [['Chosen', plan.choice] as const]),
    ['Version', versionText(hit, plan, isRemote)],
    ['Publisher', hit.publisher ?? UNTOLD],
    ['Licence', hit.licence ?? UNTOLD],
    ['Integrity', integrityText(plan)],
    ['Variables', plan.variables.length === 0 ? 'none' : plan.variables.join(', ')],
    ['Asks for', hit.inputs.length === 0 ? 'nothing' : hit.inputs.map(inputText).join(', ')],
  ];
}

// — internal —

const UNTOLD = 'not told';

/** Where it is found: the catalog, or the host of the registry. */
function sourceText({ registry }: SearchHit): string {
  if (registry === null) return 'the catalog that comes with mcpd';
  return URL.canParse(registry) ? new URL(registry).host : registry;
}

function versionText({ version }: SearchHit, { versionIs }: InstallPlan, isRemote: boolean): string {
  if (versionIs === 'exact') return `${version ?? 'exact'}, and no other until you update it`;
  if (versionIs === 'floating') return 'floats: the one of today is taken, and kept until you update it';
  return isRemote ? 'floats: whoever runs it can change it at any time' : 'that of mcpd';
}

function integrityText({ fileSha256, integrity, fetch }: InstallPlan): string {
  if (fileSha256 !== null) return `sha256 ${fileSha256}, or it is not installed`;
  if (integrity !== null) return integrity.split(' ').join(', or ');
  if (fetch === null) return 'nothing is fetched';
  if (fetch.startsWith('npm:')) return 'checked by npm against its registry, and kept';
  return 'no hash was published; that of what is fetched is kept';
}

function inputText({ name, required, secret, default: usual }: InputSpec): string {
  const words = [secret ? 'secret' : '', required && usual === null ? '' : 'optional'].filter((word) => word !== '');
  return words.length === 0 ? name : `${name} (${words.join(', ')})`;
}
