import { ServerPage } from './server/server-page.tsx';
import { ServersPage } from './servers/servers-page.tsx';

/** `#/servers` is all of them, `#/servers/weather/logs` a part of one, `#/servers/weather/tools/now` one of its tools. */
export function ServersEntry({ parts }: { parts: readonly string[] }) {
  const [name, tab, chosen] = parts;
  return name === undefined ? <ServersPage /> : <ServerPage name={name} tab={tab} chosen={chosen} />;
}
