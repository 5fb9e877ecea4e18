import type { ComponentType } from 'preact';
import { DOINGS, type Doing, doTo } from '../../doing.ts';
import { servers } from '../../live/store.ts';
import { goTo, hrefOf } from '../../route.ts';
import { Button } from '../../ui/button.tsx';
import { Empty } from '../../ui/notes.tsx';
import { StateDot } from '../../ui/state-dot.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { stateTone } from '../servers/row.ts';
import { LogsTab } from './logs-tab.tsx';
import { OverviewTab } from './overview-tab.tsx';
import { PromptsTab } from './prompts-tab.tsx';
import { ResourcesTab } from './resources-tab.tsx';
import { SettingsTab } from './settings-tab.tsx';
import { ToolsTab } from './tools-tab.tsx';
import './server.css';

export interface TabProps {
  name: string;
  /** What of it is shown, by the address. */
  chosen: string | undefined;
}

type Tab = ComponentType<TabProps>;

const TABS = [
  { id: 'overview', label: 'Overview', Panel: OverviewTab as Tab },
  { id: 'tools', label: 'Tools', Panel: ToolsTab as Tab },
  { id: 'prompts', label: 'Prompts', Panel: PromptsTab as Tab },
  { id: 'resources', label: 'Resources', Panel: ResourcesTab as Tab },
  { id: 'logs', label: 'Logs', Panel: LogsTab as Tab },
  { id: 'settings', label: 'Settings', Panel: SettingsTab as Tab },
] as const;

interface ServerPageProps {
  name: string;
  tab: string | undefined;
  chosen: string | undefined;
}

/** One server: `#/servers/NAME/TAB`, or `#/servers/NAME/tools/TOOL`. */
export function ServerPage({ name, tab, chosen }: ServerPageProps) {
  const server = servers.value.get(name);
  if (server === undefined) {
    return (
      <Empty icon="question" title="There is no such server">
        <p>
          <a href={hrefOf('servers')}>All servers</a>
        </p>
      </Empty>
    );
  }
  const { id, Panel } = TABS.find((one) => one.id === tab) ?? TABS[0];
  const isUp = server.state === 'running' || server.state === 'starting';
  const doings: readonly Doing[] = server.enabled ? (isUp ? ['stop', 'restart'] : ['start']) : ['enable'];
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf('servers')}>All servers</a>
      </p>
      <div class="page-head">
        <h1 class="text">{name}</h1>
        <StateDot tone={stateTone(server)}>{server.state}</StateDot>
        <div class="toolbar">
          {doings.map((doing) => (
            // The first turns and stays the same button, so that a person at the keyboard stays on it.
            <Button key={doing === 'restart' ? 'second' : 'first'} onPress={() => doTo(name, doing)}>
              {DOINGS[doing].label}
            </Button>
          ))}
        </div>
      </div>
      <Tabs label={name} tabs={TABS} chosen={id} onChoose={(next) => goTo(hrefOf('servers', name, next))}>
        <Panel key={`${name} ${id}`} name={name} chosen={chosen} />
      </Tabs>
    </>
  );
}
