import { type CatalogEntry, inputsOf } from '../../registry/catalog.ts';
import { secretNameOf } from '../../src/install/inputs.ts';
import { type Trial, type Trials, untriedBecause } from './tried.ts';

/** The page docs/catalog.md. */
export function catalogPage(catalog: readonly CatalogEntry[], trials: Trials): string {
  const rows = catalog.map((entry) => [
    nameCell(entry),
    entry.published.description,
    sourceCell(entry),
    entry.published.licence ?? '',
    takesCell(entry),
    triedCell(entry, trials[entry.name]),
  ]);
  const head = ['name', 'what it is for', 'source', 'licence', 'takes', 'tried'];
  return [
    HEAD,
    ...[head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.map(inCell).join(' | ')} |`),
    '',
  ].join('\n');
}

// — internal —

const HEAD = `# The catalog

What \`mcpd install NAME\` installs by a short name. This page is made of the files in registry/catalog: \`npm run catalog\` writes it, and the
tests fail when it says something else.

**takes**: values to give with \`--env NAME=VALUE\`. What is **bold** is needed, and is asked for on a terminal; *secret* is kept apart from
everything else.

**tried**: how many tools the entry listed when \`npm run catalog:check\` installed exactly this version into an empty home and started it; or why
that command cannot, as it has no account anywhere and reaches npm's registry only. \`MCPD_CATALOG=NAME,NAME npm run catalog:check\` tries some.
`;

function nameCell({ name, published }: CatalogEntry): string {
  const page = published.repository ?? published.websiteUrl;
  const mark = published.status === 'deprecated' ? ' (archived)' : '';
  return `${page === null ? `\`${name}\`` : `[\`${name}\`](${page})`}${mark}`;
}

function sourceCell({ published }: CatalogEntry): string {
  const [pack] = published.packages;
  if (pack === undefined) return `remote \`${published.remotes[0]?.url ?? ''}\``;
  if (pack.kind === 'bundled') return 'comes with mcpd';
  return `${pack.kind} \`${pack.identifier}\` ${pack.version ?? ''}`;
}

function takesCell(entry: CatalogEntry): string {
  const inputs = inputsOf(entry);
  const ordered = [...inputs.filter(({ required }) => required), ...inputs.filter(({ required }) => !required)];
  return ordered
    .map(({ name, required, secret }) => {
      const shown = `\`${secretNameOf(name)}\``;
      return `${required ? `**${shown}**` : shown}${secret ? ' *secret*' : ''}`;
    })
    .join(', ');
}

function triedCell(entry: CatalogEntry, trial: Trial | undefined): string {
  const reason = untriedBecause(entry);
  if (reason !== null) return reason;
  if (trial === undefined || trial.version !== entry.published.packages[0]?.version) return 'not yet at this version';
  if ('fault' in trial) return `failed: ${trial.fault}`;
  return trial.tools === 1 ? '1 tool' : `${trial.tools} tools`;
}

function inCell(text: string): string {
  return text.replaceAll('|', '\\|').replace(/\s+/g, ' ');
}
