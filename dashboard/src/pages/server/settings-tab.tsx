import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ServerInfo, ServerPatch, ServerStatus } from '../../../../src/api/contract.ts';
import type { Sharing, StartMode } from '../../../../src/core/model.ts';
import { patch } from '../../api.ts';
import { servers } from '../../live/store.ts';
import { Command } from '../../ui/code.tsx';
import { Field } from '../../ui/field.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { failed, told } from '../../ui/toasts.tsx';
import { Secrets, Uninstall } from './approved-changes.tsx';
import { LimitsForm } from './limits-form.tsx';
import { useAnswer } from './use-answer.ts';
import './overview.css';

/** How mcpd runs a server: changed here at once; what is run is agreed to in a terminal. */
export function SettingsTab({ name }: { name: string }) {
  const server = servers.value.get(name);
  const { answer: info, thrown } = useAnswer<ServerInfo>(`/api/servers/${name}`, server?.fingerprint);
  if (server === undefined) return null;
  const isDeclared = server.source.kind === 'file';
  return (
    <div class="halves">
      {isDeclared ? (
        <Box title="Settings">
          <p>
            This server is declared in <code>{server.source.ref}</code>: change it there, then
          </p>
          <Command text={`mcpd apply -f ${server.source.ref}`} />
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
      <Box title="What is run">
        <div class="stack">
          <p class="soft">No page alone may change the command or the address of a server. Add it anew:</p>
          <Command text={`mcpd uninstall ${name}`} />
          <Command text={server.launch.kind === 'http' ? 'mcpd install ADDRESS' : `mcpd add ${name} -- COMMAND`} />
          {server.launch.kind === 'http' ? (
            <>
              <p class="soft">To log in there:</p>
              <Command text={`mcpd auth ${name}`} />
            </>
          ) : null}
        </div>
      </Box>
      {isDeclared ? null : (
        <Box title="Uninstall">
          <Uninstall name={name} />
        </Box>
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

function Running({ server }: { server: ServerStatus }) {
  const [isBusy, setBusy] = useState(false);
  const change = (next: ServerPatch) => {
    setBusy(true);
    patch(`/api/servers/${server.name}`, next)
      .then(() => told(`${server.name} saved`), failed)
      .finally(() => setBusy(false));
  };
  return (
    <div class="stack" aria-busy={isBusy}>
      <label class="check-line">
        <input type="checkbox" checked={server.enabled} onChange={() => change({ enabled: !server.enabled })} />
        Enabled: hosts see it
      </label>
      <Field label="Starts">
        {(ids) => <Select ids={ids} labels={STARTS} value={server.start} onChange={(start) => change({ start })} />}
      </Field>
      <Field label="Its process is shared">
        {(ids) => (
          <Select ids={ids} labels={SHARINGS} value={server.sharing} onChange={(sharing) => change({ sharing })} />
        )}
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
