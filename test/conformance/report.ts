import { CLIENT_DIFFERENCES, DIFFERENCES, type Difference } from './differences.ts';
import { CLIENT_SETS, type Outcome, type Outcomes, SETS, type SetName } from './suite.ts';

/** What was run, by target and by set. */
export type Found = Map<string, Map<SetName, Outcomes>>;

/** The page docs/conformance.md. */
export function pageOf(servers: Found, client: ReadonlyMap<SetName, Outcomes>): string {
  const sets = Object.keys(SETS) as SetName[];
  return [
    HEAD,
    '## As a server',
    '',
    ...tableOf(
      ['target', ...sets],
      [...servers].map(([target, found]) => [target, ...sets.map((set) => cellOf(found.get(set)))]),
    ),
    '',
    ...listOf('Scenarios that the fixture passes by itself and not there:', DIFFERENCES),
    'Extensions are not required by any revision, and the fixture has none of them: the suite runs their scenarios and does not count them.',
    '',
    '## As a client',
    '',
    'The suite plays a server, which is installed as a remote one; a host then does through mcpd what the scenario is about.',
    '',
    ...tableOf(['', ...CLIENT_SETS], [['mcpd', ...CLIENT_SETS.map((set) => scenariosOf(client.get(set)))]]),
    '',
    ...listOf('Scenarios that do not pass:', CLIENT_DIFFERENCES),
  ].join('\n');
}

/** One line for each scenario that failed. */
export function faultsOf(outcomes: Outcomes): Record<string, string[]> {
  return Object.fromEntries(
    Object.entries(outcomes)
      .filter(([, { failed }]) => failed > 0)
      .map(([name, { faults }]) => [name, faults]),
  );
}

// — internal —

const HEAD = `# Conformance

What the published conformance suite (\`@modelcontextprotocol/conformance\`, 0.1.16 and 0.2.0-alpha.12) finds. \`npm run conformance\` runs it and
writes this page; the tests fail when a run finds something else.

The server under test is a fixture with the names that the suite calls, made with the official SDK. First it is tested by itself, serving
both eras at one URL. Then mcpd stands in front of it: over stdio and over HTTP, and each time the fixture speaks one era only, so that
whatever the suite asks in the other era has to be bridged. \`/mcp/s/fixture\` is that server under its own names, \`/mcp\` all servers of
the machine under prefixed names.

Scenarios that count: passed of all, then their checks in brackets. What did not run is 0 of 0.
`;

function scoredIn(outcomes: Outcomes): Outcome[] {
  return Object.values(outcomes).filter(({ unscored }) => !unscored);
}

/** Without the checks: how many there are depends on how many requests came to the suite's server. */
function scenariosOf(outcomes: Outcomes | undefined): string {
  const scored = scoredIn(outcomes ?? {});
  return `${scored.filter(({ failed }) => failed === 0).length} of ${scored.length}`;
}

function cellOf(outcomes: Outcomes | undefined): string {
  const scored = scoredIn(outcomes ?? {});
  const passed = scored.reduce((sum, outcome) => sum + outcome.passed, 0);
  const failed = scored.reduce((sum, outcome) => sum + outcome.failed, 0);
  return `${scenariosOf(outcomes)} (${passed} of ${passed + failed})`;
}

function tableOf(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

function listOf(title: string, differences: readonly Difference[]): string[] {
  if (differences.length === 0) return [];
  const lines = differences.map(({ scenario, doors, kinds, sets, because }) => {
    const where = [...(doors ?? []), ...(kinds ?? []), ...(sets ?? [])].join(', ');
    return `- \`${scenario}\`${where === '' ? '' : ` (${where})`}: ${because}.`;
  });
  return [title, '', ...lines, ''];
}
