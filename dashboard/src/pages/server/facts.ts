import type { ServerInfo } from '../../../../src/api/contract.ts';
import type { InstalledPackage, ServerSource } from '../../../../src/core/model.ts';
import { shellWord } from '../../../../src/shell-word.ts';

/** A name and what is to be said of it; `isCode` is written as a program takes it. */
export interface Fact {
  name: string;
  value: string;
  isCode: boolean;
}

/** How a server is reached and what it is, in the order of `mcpd info`. Values of secrets never come here: only their names do. Pure. */
export function launchFacts({ launch, secrets, source, logFile, login }: ServerInfo): Fact[] {
  const own =
    launch.kind === 'http'
      ? [
          code('Address', launch.url),
          plain('Transport', launch.transport),
          ...Object.entries(launch.headers).map(([name, value]) => code('Header', `${name}: ${value}`)),
        ]
      : [
          code('Command', [launch.command, ...launch.args].map(shellWord).join(' ')),
          ...(launch.cwd === null ? [] : [code('Folder', launch.cwd)]),
          ...Object.entries(launch.env).map(([name, value]) => code('Variable', `${name}=${value}`)),
        ];
  return [
    ...own,
    ...(secrets.length === 0 ? [] : [plain('Secrets', secrets.join(', '))]),
    ...(login === null ? [] : [plain('Logged in at', login.issuer)]),
    plain('Source', sourceText(source)),
    code('Log', logFile),
  ];
}

// — internal —

function plain(name: string, value: string): Fact {
  return { name, value, isCode: false };
}

function code(name: string, value: string): Fact {
  return { name, value, isCode: true };
}

function sourceText(source: ServerSource): string {
  switch (source.kind) {
    case 'catalog':
      return `catalog: ${source.ref}${source.package === null ? '' : ` (${packageText(source.package)})`}`;
    case 'registry':
    case 'document':
      return `${source.ref}${source.package === null ? '' : ` (${packageText(source.package)})`}`;
    case 'npm':
    case 'pypi':
    case 'oci':
    case 'nuget':
    case 'mcpb':
    case 'git':
      return packageText(source.package);
    case 'folder':
      return `folder: ${source.ref}`;
    case 'command':
      return 'mcpd add, by its command';
    case 'url':
      return 'its address';
    case 'file':
      return `declared in ${source.ref}`;
  }
}

function packageText({ kind, identifier, version }: InstalledPackage): string {
  return `${kind}: ${identifier} ${version}`;
}
