import type { SecretInfo } from '../api/contract/credentials.ts';
import type { Check } from '../api/contract/health.ts';
import { warning } from './check.ts';

/** Secrets that a server lacks, and those that a killed install left behind. */
export function judgeSecrets(rows: readonly SecretInfo[]): Check[] {
  const missing = rows.filter(({ state }) => state === 'missing');
  const orphaned = rows.filter(({ state }) => state === 'orphaned');
  return [
    ...missing.map(({ server, name }) =>
      warning('secrets', `${server} needs ${name}, which has no value`, `mcpd secret set ${server} ${name}`),
    ),
    ...[...new Set(orphaned.map(({ server }) => server))].map((server) => {
      const names = orphaned.flatMap((row) => (row.server === server ? [row.name] : [])).join(', ');
      return warning(
        'secrets',
        `there is no server ${server}, and ${names} is kept for it`,
        `mcpd secret rm ${server}`,
      );
    }),
  ];
}
