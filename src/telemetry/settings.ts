import { type ErrorParts, McpdError } from '../errors.ts';
import { OTLP_CALLS_EVERY_MS, OTLP_HEADERS_MAX, OTLP_METRICS_EVERY_MS } from '../telemetry-limits.ts';

/** Where to send and what, as the registry keeps it: the values of the headers are among the secrets. */
export interface OtlpSettings {
  /** http or https, without a slash at its end. */
  endpoint: string;
  traces: boolean;
  metrics: boolean;
}

/** @throws {McpdError} INPUT_INVALID */
export function checkedEndpoint(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol))
    throw invalid({
      what: 'this is no address of an OTLP receiver',
      why: 'it begins with http:// or https://',
      fix: FIX,
    });
  if (url.username !== '' || url.password !== '') {
    throw invalid({
      what: 'the address of an OTLP receiver has no user and no password',
      why: 'it is shown to people, and they would be',
      fix: `${FIX} --header Authorization`,
    });
  }
  if (url.search !== '' || url.hash !== '')
    throw invalid({
      what: 'the address of an OTLP receiver has no ? and no #',
      why: 'paths are added to it',
      fix: FIX,
    });
  return url.href.replace(/\/+$/, '');
}

/** By lower-case name. @throws {McpdError} INPUT_INVALID, which does not show the values */
export function checkedHeaders(headers: Readonly<Record<string, string>>): Map<string, string> {
  const checked = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    if (!HEADER_NAME.test(name) || OWN_HEADERS.has(name.toLowerCase()))
      throw invalid({ what: `${JSON.stringify(name.slice(0, 100))} cannot be a header of exports` });
    if (value === '' || !HEADER_VALUE.test(value)) {
      const why = 'it is empty, or has a line break or a letter beyond Latin';
      throw invalid({ what: `the value of the header ${name} cannot be sent`, why });
    }
    checked.set(name.toLowerCase(), value);
  }
  if (checked.size > OTLP_HEADERS_MAX) throw invalid({ what: `exports have ${OTLP_HEADERS_MAX} headers at most` });
  return checked;
}

/** Null when nothing was set, or something that this mcpd cannot read. */
export function parsedSettings(text: string | null): OtlpSettings | null {
  if (text === null) return null;
  try {
    const { endpoint, traces, metrics } = JSON.parse(text) as Partial<OtlpSettings>;
    if (typeof endpoint !== 'string') return null;
    return { endpoint: checkedEndpoint(endpoint), traces: traces !== false, metrics: metrics !== false };
  } catch {
    return null; // written by something else: as if it were off, and `mcpd telemetry status` says so
  }
}

/**
 * What OpenTelemetry's own variables ask for, of those that a daemon's environment may have. `finding` when they cannot be followed; null
 * settings when nothing is to be sent.
 */
export function settingsIn(env: NodeJS.ProcessEnv): {
  settings: OtlpSettings | null;
  headers: Map<string, string>;
  finding: string | null;
} {
  const endpoint = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const off = { settings: null, headers: new Map<string, string>(), finding: null };
  if (endpoint === undefined || endpoint === '' || env['OTEL_SDK_DISABLED'] === 'true') return off;
  try {
    const settings = {
      endpoint: checkedEndpoint(endpoint),
      traces: env['OTEL_TRACES_EXPORTER'] !== 'none',
      metrics: env['OTEL_METRICS_EXPORTER'] !== 'none',
    };
    const headers = checkedHeaders(headersIn(env['OTEL_EXPORTER_OTLP_HEADERS'] ?? ''));
    return settings.traces || settings.metrics ? { settings, headers, finding: null } : off;
  } catch (thrown) {
    if (!(thrown instanceof McpdError)) throw thrown;
    return { ...off, finding: `the OTEL_… variables of the daemon cannot be followed: ${thrown.message}` };
  }
}

/** How often to send, which OpenTelemetry's own variables may say. */
export function intervalsIn(env: NodeJS.ProcessEnv): { callsMs: number; metricsMs: number } {
  return {
    callsMs: millisecondsIn(env['OTEL_BSP_SCHEDULE_DELAY']) ?? OTLP_CALLS_EVERY_MS,
    metricsMs: millisecondsIn(env['OTEL_METRIC_EXPORT_INTERVAL']) ?? OTLP_METRICS_EVERY_MS,
  };
}

// — internal —

const FIX = 'mcpd telemetry set --otlp http://127.0.0.1:4318';
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$/;
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;
/** The exporter has its own. */
const OWN_HEADERS = new Set([
  'content-type',
  'content-length',
  'content-encoding',
  'transfer-encoding',
  'host',
  'connection',
]);
/** Faster, and the sending would be the work. */
const INTERVAL_MS_MIN = 100;

/** `key=value` with commas between them and both percent-encoded, as W3C Baggage has it. */
function headersIn(text: string): Record<string, string> {
  const pairs = text.split(',').filter((pair) => pair.includes('='));
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf('=');
      return [decoded(pair.slice(0, at).trim()), decoded(pair.slice(at + 1).trim())];
    }),
  );
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone percent sign stands for itself
  }
}

function millisecondsIn(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Math.max(Number(text), INTERVAL_MS_MIN) : null;
}

function invalid(parts: ErrorParts): McpdError {
  return new McpdError('INPUT_INVALID', parts);
}
