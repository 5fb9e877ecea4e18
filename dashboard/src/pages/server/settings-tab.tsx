import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ServerInfo, ServerStatus } from '../../../../src/api/contract.ts';
import type { ServerSource, Sharing, StartMode } from '../../../../src/core/model.ts';
import { shellWord } from '../../../../src/shell-word.ts';
import { patch } from '../../api.ts';
import { servers } from '../../live/store.ts';
import { LogIn } from '../../login/login-dialog.tsx';
import { Command } from '../../ui/code.tsx';
import { Field } from '../../ui/field.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { failed, told } from '../../ui/toasts.tsx';
import { useAnswer } from '../../use-answer.ts';
import { Secrets, Uninstall } from './approved-changes.tsx';
import { LimitsForm } from './limits-form.tsx';
import './overview.css';

/** How mcpd runs a server: changed here at once; what is run is agreed to in a terminal. */
export function SettingsTab({ name }: { name: string }) {
  const server = servers.value.get(name);
  const { answer: info, thrown } = useAnswer<ServerInfo>(`/api/servers/${name}`, server?.fingerprint);
  if (server === undefined) return null;
  const isDeclared = server.source.kind === 'file';
  return (
    <div class="server-settings">
      {isDeclared ? (
        <Box title="Settings">
          <p>
            This server is declared in <code>{server.source.ref}</code>: change it there, then
          </p>
          <Command text={`mcpd apply -f ${shellWord(server.source.ref)}`} />
        </Box>
      ) : (
        <>
          <Box title="When it runs">
            <Running server={server} />
          </Box>
          <Box title="Limits">
            <LimitsForm server={server} />
          </Box>
        </>
      )}
      <Box title="Secrets">
        {thrown === null ? null : <ErrorNote thrown={thrown} />}
        {info === null ? null : <Secrets info={info} />}
      </Box>
      {isDeclared ? null : (
        <>
          <Box title="What is run">
            <Anew server={server} />
          </Box>
          <Box title="Uninstall">
            <Uninstall name={name} />
          </Box>
        </>
      )}
    </div>
  );
}

// — internal —

const STARTS: Record<StartMode, string> = {
  'on-demand': 'With the first call',
  always: 'Always',
  manual: 'Only when somebody starts it',
};
const SHARINGS: Record<Sharing, string> = {
  auto: 'By all hosts, until it asks one of them something',
  shared: 'By all hosts',
  'per-session': 'By no one: each session has its own process',
  'per-workspace': 'By hosts that work in the same folder',
};

function Box({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel-box" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

/** A page may ask for it to be gone; what is run instead is typed by a person. */
function Anew({ server: { name, source, launch } }: { server: ServerStatus }) {
  return (
    <div class="stack">
      <p class="soft">No page alone may change the command or the address of a server. Install it anew:</p>
      <Command text={`mcpd uninstall ${name}`} />
      <Command text={installCommand(name, source)} />
      {launch.kind === 'http' ? (
        <>
          <p class="soft">To log in there, also with more rights than before or as somebody else:</p>
          <div class="suggestions">
            <LogIn server={name} />
          </div>
        </>
      ) : null}
    </div>
  );
}

function installCommand(name: string, source: ServerSource): string {
  switch (source.kind) {
    case 'npm':
    case 'pypi':
    case 'oci':
    case 'nuget':
    case 'mcpb':
    case 'git':
      return `mcpd install ${shellWord(`${source.kind}:${source.package.identifier}`)} --name ${name}`;
    case 'catalog':
    case 'registry':
    case 'document':
    case 'folder':
    case 'url':
      return `mcpd install ${shellWord(source.ref)} --name ${name}`;
    default:
      return `mcpd add ${name} -- COMMAND`;
  }
}

/** One of what can be set at once. */
type Change = { enabled?: boolean; start?: StartMode; sharing?: Sharing };

function Running({ server }: { server: ServerStatus }) {
  // Shown as chosen while mcpd carries it out.
  const [asked, setAsked] = useState<Change>({});
  const { enabled, start, sharing } = { ...server, ...asked };
  const change = (next: Change) => {
    setAsked(next);
    patch(`/api/servers/${server.name}`, next)
      .then(() => told(`${server.name} saved`), failed)
      .finally(() => setAsked({}));
  };
  return (
    <div class="stack">
      <label class="check-line">
        <input type="checkbox" checked={enabled} onChange={() => change({ enabled: !enabled })} />
        Enabled: hosts see it
      </label>
      <Field label="Starts">
        {(ids) => <Select ids={ids} labels={STARTS} value={start} onChange={(next) => change({ start: next })} />}
      </Field>
      <Field label="Its process is shared">
        {(ids) => <Select ids={ids} labels={SHARINGS} value={sharing} onChange={(next) => change({ sharing: next })} />}
      </Field>
    </div>
  );
}

interface SelectProps<T extends string> {
  ids: { id: string };
  labels: Record<T, string>;
  value: T;
  onChange: (value: T) => void;
}

function Select<T extends string>({ ids, labels, value, onChange }: SelectProps<T>) {
  const values = Object.keys(labels) as T[];
  return (
    <select
      {...ids}
      value={value}
      onChange={(event) => {
        const chosen = values[event.currentTarget.selectedIndex];
        if (chosen !== undefined && chosen !== value) onChange(chosen);
      }}
    >
      {values.map((one) => (
        <option key={one} value={one}>
          {labels[one]}
        </option>
      ))}
    </select>
  );
}
