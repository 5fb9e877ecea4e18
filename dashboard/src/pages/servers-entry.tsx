import { ServerPage } from './server/server-page.tsx';
import { ServersPage } from './servers/servers-page.tsx';

/** `#/servers` is all of them, `#/servers/weather/logs` a part of one. */
export function ServersEntry({ parts }: { parts: readonly string[] }) {
  const [name, tab] = parts;
  return name === undefined ? <ServersPage /> : <ServerPage name={name} tab={tab} />;
}
