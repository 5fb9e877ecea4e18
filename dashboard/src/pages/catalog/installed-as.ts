import type { SearchHit } from '../../../../src/api/contract/search.ts';
import type { ServerStatus } from '../../../../src/api/contract.ts';

/** Names of the servers that came from what a search found. Pure. */
export function installedAs(
  { name, source }: Pick<SearchHit, 'name' | 'source'>,
  servers: Iterable<ServerStatus>,
): string[] {
  return [...servers].filter((server) => isFrom(server, name, source)).map((server) => server.name);
}

// — internal —

function isFrom({ source: { kind, ref } }: ServerStatus, name: string, source: SearchHit['source']): boolean {
  if (kind !== source) return false;
  return source === 'catalog' ? ref === name : ref.slice(0, ref.lastIndexOf('@')) === name;
}
