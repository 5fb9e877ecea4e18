import type { RegistriesInfo, RegistriesRequest } from '../../src/api/contract/search.ts';
import type { DaemonClient } from '../../src/control/client.ts';
import { fromReport, McpdError } from '../../src/errors.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';

/** Which MCP registries are asked. */
export async function runRegistries(parsed: Parsed, context: Context): Promise<void> {
  const [word, url, ...more] = parsed.operands;
  const daemon = await context.daemon();
  const before = await daemon.request<RegistriesInfo>('GET', PATH);
  const addresses = before.registries.map(({ address }) => address);
  if (word === undefined) return show(before, parsed, context);
  if (word === 'reset' && url === undefined)
    return show(await daemon.request<RegistriesInfo>('DELETE', PATH), parsed, context);
  if (url !== undefined && more.length === 0) {
    if (word === 'add') {
      const registries = parsed.flag('first') ? [url, ...addresses] : [...addresses, url];
      return show(await set(daemon, { registries }), parsed, context);
    }
    if (word === 'remove') return show(await remove(url, addresses, daemon), parsed, context);
  }
  throw new McpdError('USAGE', {
    what: `mcpd registries cannot do "${showable(parsed.operands.join(' '))}"`,
    why: 'it knows add URL, remove URL and reset',
    fix: 'mcpd registries --help',
  });
}

// — internal —

const PATH = '/api/registries';

const FROM = {
  settings: '',
  environment: ', as MCPD_REGISTRIES of the daemon says',
  default: '',
} as const satisfies Record<RegistriesInfo['from'], string>;

function set(daemon: DaemonClient, request: RegistriesRequest): Promise<RegistriesInfo> {
  return daemon.request<RegistriesInfo>('POST', PATH, request);
}

/** @throws McpdError USAGE when it is none of them */
async function remove(url: string, addresses: readonly string[], daemon: DaemonClient): Promise<RegistriesInfo> {
  const kept = addresses.filter((address) => address !== url.replace(/\/+$/, ''));
  if (kept.length < addresses.length) return set(daemon, { registries: kept });
  throw new McpdError('USAGE', {
    what: `${showable(url)} is not asked`,
    why: addresses.length === 0 ? 'no MCP registry is' : `asked are ${addresses.join(', ')}`,
    fix: 'mcpd registries',
  });
}

function show(info: RegistriesInfo, parsed: Parsed, { output }: Context): void {
  if (parsed.flag('json')) return output.json(info);
  if (info.error !== null) throw fromReport(info.error);
  for (const { address } of info.registries) output.print(showable(address));
  if (info.registries.length === 0)
    output.say(`No MCP registry is asked${FROM[info.from]}. The official one again: mcpd registries reset`);
  else if (info.from === 'environment') output.say(`Asked${FROM.environment}.`);
}
