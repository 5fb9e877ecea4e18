import type { RegistryAsking, SearchAnswer, SearchHit } from '../../src/api/contract/search.ts';
import type { CatalogHit } from '../../src/api/contract.ts';
import { didYouMean } from '../../src/closest.ts';
import { shownTime } from '../../src/shown.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import type { Output } from '../output.ts';

/** The catalog that comes with mcpd, then the MCP registries, each under its name. */
export async function runSearch(parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const query = parsed.operands.join(' ');
  const daemon = await context.daemon();
  const only = parsed.flag('catalog') ? '&catalog=1' : '';
  const { hits, registries } = await daemon.request<SearchAnswer>(
    'GET',
    `/api/search?query=${encodeURIComponent(query)}${only}`,
  );
  for (const asking of registries) sayHow(asking, output);
  if (parsed.flag('json')) return output.json(hits);
  const bundled = hits.filter(({ source }) => source === 'catalog');
  if (hits.length > 0) {
    if (bundled.length > 0) showCatalog(bundled, output);
    for (const asking of registries) showRegistry(asking, hits, output);
    return;
  }
  const all = await daemon.request<CatalogHit[]>('GET', '/api/catalog');
  const hint = didYouMean(
    query,
    all.map((hit) => hit.name),
  );
  const where = ['the catalog', ...registries.filter(({ at }) => at !== null).map(({ place }) => place)].join(' or ');
  output.say(showable(`Nothing in ${where} matches ${query}${hint === undefined ? '.' : `: ${hint}`}`));
  output.say('Any npm package can be installed: mcpd install npm:PACKAGE');
}

// — internal —

/** On standard error: what a person must know of an answer that is old, or not there, or not all. */
function sayHow({ place, state, at, error, warnings, hasMore }: RegistryAsking, output: Output): void {
  const { yellow } = output.sayPaint;
  const why = error === null ? '' : `${error.what}${error.why === undefined ? '' : `: ${error.why}`}`;
  const said: string[] = [...warnings];
  if (state === 'kept' && at !== null) said.unshift(`${why}; shown is what ${place} said on ${shownTime(at)}`);
  if (state === 'unreachable') said.unshift(`${why}; it was not searched`);
  for (const line of said) output.say(`${yellow('warning')}  ${showable(line)}`);
  if (state === 'unreachable' && error?.fix !== undefined) output.say(showable(`try  ${error.fix}`));
  if (hasMore) output.say(showable(`${place} has more: search for another word besides`));
}

function showCatalog(hits: readonly SearchHit[], output: Output): void {
  output.table(hits, [
    { title: 'NAME', cell: (hit) => hit.name },
    { title: 'INSTALLED', cell: (hit) => (hit.installed ? 'yes' : '') },
    {
      title: 'NEEDS',
      cell: (hit) => hit.inputs.flatMap((input) => (input.required ? input.name : [])).join(', '),
      cuttable: true,
    },
    { title: 'ORIGIN', cell: (hit) => hit.origin },
    { title: 'DESCRIPTION', cell: (hit) => hit.description, cuttable: true },
  ]);
}

function showRegistry({ address, place }: RegistryAsking, all: readonly SearchHit[], output: Output): void {
  const hits = all.filter(({ registry }) => registry === address);
  if (hits.length === 0) return;
  if (all[0] !== hits[0]) output.print('');
  output.print(output.paint.bold(`From ${place}`));
  output.table(hits, [
    { title: 'NAME', cell: (hit) => hit.name },
    { title: 'VERSION', cell: (hit) => hit.version ?? '', cuttable: true },
    { title: 'INSTALLED', cell: (hit) => (hit.installed ? 'yes' : '') },
    { title: 'KINDS', cell: (hit) => hit.kinds.join(', ') },
    { title: 'DESCRIPTION', cell: described, cuttable: true },
  ]);
}

function described({ status, statusMessage, description }: SearchHit): string {
  if (status === 'active') return description;
  return `deprecated${statusMessage === null ? '' : ` (${statusMessage})`}: ${description}`;
}
