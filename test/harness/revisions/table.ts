import { FEATURES, type Feature, impossible } from './cells.ts';
import { REVISIONS, type Revision, type Transport } from './wire.ts';

export interface Place {
  revision: Revision;
  transport: Transport;
}

export interface Cell {
  host: Place;
  server: Place;
  feature: Feature;
  /** `refused` is one clear error, `broken` everything else. */
  outcome: 'works' | 'refused' | 'broken';
  /** The error. */
  text: string;
}

export const PLACES: readonly Place[] = REVISIONS.flatMap((revision) =>
  (['stdio', 'http'] as const).map((transport) => ({ revision, transport })),
);

export const nameOf = ({ revision, transport }: Place): string => `${transport}-${revision}`;

/** What is not as it should be: must work and does not, or should be refused and is not. */
export function deviations(cells: readonly Cell[]): string[] {
  return cells.flatMap(({ host, server, feature, outcome, text }) => {
    const wanted = impossible(feature, host.revision, server.revision) === undefined ? 'works' : 'refused';
    if (outcome === wanted) return [];
    return [`${nameOf(host)} × ${nameOf(server)}, ${feature}: ${outcome} ${text}`];
  });
}

/** docs/revisions.md. */
export function pageOf(cells: readonly Cell[]): string {
  return `# Which revisions work together

Every host revision through mcpd with every server revision, each over both transports, and each feature in turn; 2024-11-05 over HTTP is
HTTP+SSE. \`test/revisions.test.ts\` tries all ${cells.length} cells and fails when this page says something else; \`UPDATE=1\` lets it write the page.

Features: ${FEATURES.join(', ')}.

## Pairs

A number is how many of the ${FEATURES.length} features work; what does not is named below.

${grid(cells)}

## What cannot work

The specification has no way for it. The call ends at once, with the error in the last column.

${refusals(cells)}
`;
}

// — internal —

/** Depends on what else is installed. */
const SUGGESTIONS = /; close to it: .*$/;

function grid(cells: readonly Cell[]): string {
  const head = ['host \\ server', ...PLACES.map(label)];
  const rows = PLACES.map((host) => [
    label(host),
    ...PLACES.map((server) => {
      const own = cells.filter((cell) => cell.host === host && cell.server === server);
      return String(own.filter(({ outcome }) => outcome === 'works').length);
    }),
  ]);
  return table([head, ...rows]);
}

function refusals(cells: readonly Cell[]): string {
  const rows = new Map<string, { cell: Cell; hosts: Set<string>; servers: Set<string> }>();
  for (const cell of cells.filter(({ outcome }) => outcome !== 'works')) {
    const why = impossible(cell.feature, cell.host.revision, cell.server.revision) ?? '**fault**';
    const text = cell.text.replaceAll(nameOf(cell.server), '<server>').replace(SUGGESTIONS, '');
    const key = [cell.feature, why, text].join('\n');
    const row = rows.get(key) ?? { cell: { ...cell, text }, hosts: new Set(), servers: new Set() };
    row.hosts.add(label(cell.host));
    row.servers.add(label(cell.server));
    rows.set(key, row);
  }
  const head = ['feature', 'why', 'hosts', 'servers', 'error'];
  const body = [...rows]
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, { cell, hosts, servers }]) => {
      const [feature = '', why = ''] = key.split('\n');
      return [feature, why, list(hosts), list(servers), cell.text.replaceAll('|', '\\|').replaceAll('\n', ' ')];
    });
  return table([head, ...body]);
}

/** In the order of PLACES, and a revision once when both transports are there. */
function list(labels: Set<string>): string {
  return REVISIONS.flatMap((revision) => {
    const own = PLACES.filter((place) => place.revision === revision && labels.has(label(place)));
    return own.length === 2 ? [revision] : own.map(label);
  }).join(', ');
}

const label = ({ revision, transport }: Place) => `${revision} ${transport === 'http' ? 'HTTP' : 'stdio'}`;

function table([head = [], ...rows]: string[][]): string {
  const line = (cells: string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
