import type { ComponentChildren } from 'preact';
import type { ServerFigures } from '../../../../src/api/contract/figures.ts';
import type { ServerInfo, ServerStatus } from '../../../../src/api/contract.ts';
import { durationText } from '../../duration.ts';
import { figures, now, servers, sessions } from '../../live/store.ts';
import { hrefOf, withQuery } from '../../route.ts';
import { countedSince } from '../../since-start.ts';
import { numberText, timeText } from '../../text.ts';
import { CopyButton } from '../../ui/code.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { Pairs } from '../../ui/pairs.tsx';
import { StateDot } from '../../ui/state-dot.tsx';
import { VersionBox } from '../../updating/version-box.tsx';
import { useAnswer } from '../../use-answer.ts';
import { HealthOf } from '../servers/health-of.tsx';
import { stateNote, stateTone, uptimeMs } from '../servers/row.ts';
import { Suggestions } from '../servers/suggestions.tsx';
import { type Fact, launchFacts } from './facts.ts';
import { FigurePlots, Latency } from './figure-plots.tsx';
import { hasOwn, Instances } from './instances.tsx';
import { Exits, StateTimeline } from './state-past.tsx';
import './overview.css';

/** How a server fares: its state and what helps, figures, who uses it, how it is started, what it went through. */
export function OverviewTab({ name }: { name: string }) {
  const server = servers.value.get(name);
  const version = server === undefined ? '' : [server.since, server.lastExit?.at, server.fingerprint].join();
  const { answer: info, thrown } = useAnswer<ServerInfo>(`/api/servers/${name}`, version);
  if (server === undefined) return null;
  const its = figures.value.get(name);
  return (
    <div class="overview">
      <div class="halves">
        <Box title="State">
          <StateFacts server={server} restarts={its?.restarts} />
        </Box>
        <div class="overview">
          <Box title="Used by">
            <Users ids={its?.sessions ?? []} />
          </Box>
          {hasOwn(server) ? (
            <Box title="Processes">
              <Instances instances={server.instances} />
            </Box>
          ) : null}
          {its === undefined ? null : (
            <Box title="Latency">
              <Latency latency={its.latency} />
            </Box>
          )}
        </div>
      </div>
      {its === undefined ? null : <FigurePlots figures={its} />}
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      {info === null ? null : (
        <>
          <div class="halves">
            <Box title="State over time">
              <StateTimeline past={info} />
            </Box>
            <Box title="Last end">
              <Exits exits={info.exits} />
            </Box>
          </div>
          <VersionBox server={server} />
          <Box title="How it is started">
            <Facts facts={launchFacts(info)} />
          </Box>
          {info.instructions === null ? null : (
            <Box title="What it tells hosts">
              <p class="text prose">{info.instructions}</p>
            </Box>
          )}
        </>
      )}
    </div>
  );
}

// — internal —

function Box({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel-box" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function StateFacts({ server, restarts }: { server: ServerStatus; restarts: ServerFigures['restarts'] | undefined }) {
  const { protocolVersion, era, pid, calls, errors, openCalls, findings } = server;
  const facts: [string, ComponentChildren][] = [
    [
      'State',
      <>
        <StateDot tone={stateTone(server)}>{server.state}</StateDot>
        <Why server={server} />
      </>,
    ],
    ['Wanted', server.wantedReason === null ? server.wanted : `${server.wanted}: ${server.wantedReason}`],
    [
      'Health',
      <>
        <HealthOf server={server} />
        {findings.map((finding) => (
          <span key={finding} class="note">
            {finding}
          </span>
        ))}
      </>,
    ],
    ['Up for', <Uptime server={server} />],
    ['Process', pid === null ? '–' : String(pid)],
    ['Revision', protocolVersion === null ? 'not known before its first start' : `${protocolVersion} (${era})`],
    [
      'Restarts',
      <>
        {restarts === undefined ? '–' : numberText(restarts)}
        <span class="note">{countedSince()}</span>
      </>,
    ],
    [
      'Calls',
      <>
        <a href={withQuery(hrefOf('calls'), { server: server.name })}>{numberText(calls)}</a>, {numberText(errors)}{' '}
        failed, {numberText(openCalls)} open
        <span class="note">{countedSince()}; those before are in the history</span>
      </>,
    ],
  ];
  return (
    <>
      <Pairs pairs={facts} />
      <Suggestions server={server} />
    </>
  );
}

/** These two change with each second. */
function Why({ server }: { server: ServerStatus }) {
  const note = stateNote(server, server.state === 'backoff' ? now.value : 0);
  return note === null ? null : <span class="note">{note}</span>;
}

function Uptime({ server }: { server: ServerStatus }) {
  const ms = uptimeMs(server, server.state === 'running' ? now.value : 0);
  return ms === null ? (
    <>not up, since {timeText(server.since, now.peek())}</>
  ) : (
    <>
      {durationText(ms)}, since {timeText(server.since, now.peek())}
    </>
  );
}

function Users({ ids }: { ids: readonly string[] }) {
  const users = sessions.value.filter(({ id }) => ids.includes(id));
  if (users.length === 0) return <p class="soft">No host has used it in the last ten minutes.</p>;
  return (
    <ul class="users">
      {users.map(({ id, host, protocolVersion, since }) => (
        <li key={id}>
          <a class="text" href={withQuery(hrefOf('calls'), { host })}>
            {host}
          </a>
          <span class="note">
            {protocolVersion === null ? '' : `${protocolVersion}, `}connected since {timeText(since, now.peek())}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <dl class="pairs">
      {facts.map(({ name, value, isCode }) => (
        <div key={`${name} ${value}`} class="pair">
          <dt>{name}</dt>
          <dd class="text">
            {isCode ? (
              <span class="copied">
                <code>{value}</code>
                <CopyButton text={value} label={`Copy ${name.toLowerCase()}`} />
              </span>
            ) : (
              value
            )}
          </dd>
        </div>
      ))}
    </dl>
  );
}
