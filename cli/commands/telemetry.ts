import type { OtlpDelivery, ScrapeToken, TelemetryRequest, TelemetryStatus } from '../../src/api/contract/telemetry.ts';
import { McpdError } from '../../src/errors.ts';
import { shownTime } from '../../src/shown.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import { givenHeaders } from '../header-flags.ts';

/** What mcpd tells other programs: Prometheus, and an OTLP receiver. */
export async function runTelemetry(parsed: Parsed, context: Context): Promise<void> {
  const [word = 'status'] = parsed.operands;
  if (word === 'status') return status(parsed, context);
  if (word === 'set') return set(parsed, context);
  if (word === 'off') return off(parsed, context);
  if (word === 'token') return token(parsed, context);
  throw new McpdError('USAGE', {
    what: `mcpd telemetry cannot do ${word}`,
    why: 'it knows status, set, off and token',
    fix: 'mcpd telemetry --help',
  });
}

// — internal —

const PATH = '/api/telemetry';

async function status(parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const told = await (await context.daemon()).request<TelemetryStatus>('GET', PATH);
  if (parsed.flag('json')) return output.json(told);
  const { otlp, scrape } = told;
  if (otlp === null) output.print('Nothing is sent. To send: mcpd telemetry set --otlp http://127.0.0.1:4318');
  else {
    const from = otlp.from === 'environment' ? ', by OTEL_EXPORTER_OTLP_ENDPOINT' : '';
    const headers = otlp.headers.length === 0 ? '' : `, with ${otlp.headers.join(', ')}`;
    output.print(`Sent to ${showable(otlp.endpoint)}${from}${headers}`);
    for (const [what, unit, delivery] of [
      ['traces', 'calls', otlp.traces],
      ['metrics', 'exports', otlp.metrics],
    ] as const)
      output.print(`  ${what.padEnd(8)} ${delivery === null ? 'off' : shownDelivery(delivery, unit)}`);
  }
  if (scrape.url === null)
    output.print('Prometheus cannot read it: another program has the port of mcpd (mcpd status)');
  else
    output.print(`Prometheus reads ${scrape.url}${scrape.hasToken ? '' : ', with the token of: mcpd telemetry token'}`);
}

function shownDelivery({ sent, lost, lastSentAt, fault }: OtlpDelivery, unit: string): string {
  const last = lastSentAt === null ? '' : `, last ${shownTime(lastSentAt)}`;
  const gone = lost === 0 ? '' : `, ${lost} lost`;
  return `${sent} ${unit} sent${last}${gone}${fault === null ? '' : `; it fails: ${showable(fault)}`}`;
}

async function set(parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const endpoint = parsed.value('otlp');
  if (endpoint === undefined) {
    throw new McpdError('USAGE', {
      what: 'mcpd telemetry set needs --otlp',
      fix: 'mcpd telemetry set --otlp http://127.0.0.1:4318',
    });
  }
  // Also as OpenTelemetry's own variables write them.
  const words = parsed.values('header').map((word) => word.replace(/^([^:=\s]+)=/, '$1: '));
  const headers = await givenHeaders(words, 'mcpd telemetry set --otlp URL', context);
  const request: TelemetryRequest = {
    endpoint,
    headers: Object.fromEntries(headers),
    traces: !parsed.flag('no-traces'),
    metrics: !parsed.flag('no-metrics'),
  };
  const told = await (await context.daemon()).request<TelemetryStatus>('POST', PATH, request);
  if (parsed.flag('json')) return output.json(told);
  const what = [...(request.traces ? ['traces'] : []), ...(request.metrics ? ['metrics'] : [])].join(' and ');
  output.print(`From now on ${what} are sent to ${showable(told.otlp?.endpoint ?? endpoint)}`);
  output.say('Whether they arrive: mcpd telemetry status');
}

async function off(parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const told = await (await context.daemon()).request<TelemetryStatus>('DELETE', PATH);
  if (parsed.flag('json')) return output.json(told);
  output.print(
    told.otlp === null
      ? 'Nothing is sent any more.'
      : 'What was set is forgotten; OTEL_EXPORTER_OTLP_ENDPOINT of the daemon still has it send.',
  );
}

async function token(parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const query = parsed.flag('renew') ? '?renew=1' : '';
  const made = await (await context.daemon()).request<ScrapeToken>('POST', `${PATH}/token${query}`, {});
  if (parsed.flag('json')) return output.json(made);
  output.print(made.token);
  output.say(`It reads ${made.url ?? '/metrics'} and nothing else. Prometheus can take it from ${made.file}`);
}
