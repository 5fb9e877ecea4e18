/**
 * What a client under test does: it installs the suite's server in the mcpd that the environment names, and does as a host of that mcpd what
 * the scenario wants to see.
 */
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

const environment = (name: string): string => {
  const value = process.env[name];
  if (value === undefined) throw new Error(`${name} is not set`);
  return value;
};

const scenario = environment('MCP_CONFORMANCE_SCENARIO');
const modern = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2026-07-28';
const server = scenario
  .toLowerCase()
  .replace(/[^a-z0-9]+/g, '-')
  .slice(-24)
  .replace(/^-+/, '');

interface ScenarioContext {
  toolCalls?: { name: string; arguments: Record<string, unknown> }[];
  client_id?: string;
  client_secret?: string;
}
const context = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as ScenarioContext;

type Play = (host: Client) => Promise<unknown>;

const call = (host: Client, name: string, args: Record<string, unknown> = {}) =>
  host.callTool({ name, arguments: args });
/** An error towards the host is an answer as well: what counts is what the server saw. */
const settled = (answers: Promise<unknown>[]) => Promise.allSettled(answers);

const PLAYS: Record<string, Play> = {
  initialize: (host) => host.listTools(),
  tools_call: (host) => call(host, 'add_numbers', { a: 5, b: 3 }),
  'elicitation-sep1034-client-defaults': (host) => call(host, 'test_client_elicitation_defaults'),
  'sse-retry': (host) => call(host, 'test_reconnection'),
  'request-metadata': (host) => host.listTools(),
  'json-schema-ref-no-deref': (host) => host.listTools(),
  'json-schema-2020-12-preservation': async (host) => {
    const { tools } = await host.listTools();
    const schema = tools.find(({ name }) => name === 'json_schema_2020_12_tool')?.inputSchema;
    return call(host, 'json_schema_echo', { schema });
  },
  'sep-2322-client-request-state': async (host) => {
    const names = ['echo_state', 'no_state', 'unrelated', 'no_result_type'];
    for (const name of names) await settled([call(host, `test_mrtr_${name}`)]);
  },
  'http-standard-headers': async (host) => {
    const [{ tools }, { resources }, { prompts }] = await Promise.all([
      host.listTools(),
      host.listResources(),
      host.listPrompts(),
    ]);
    for (const { name } of tools) await settled([call(host, name)]);
    for (const { uri } of resources) await settled([host.readResource({ uri })]);
    for (const { name } of prompts) await settled([host.getPrompt({ name })]);
  },
  'http-custom-headers': async (host) => {
    // A host knows from the list which arguments go into headers as well.
    await host.listTools();
    for (const { name, arguments: args } of context.toolCalls ?? []) await settled([call(host, name, args)]);
  },
  'http-invalid-tool-headers': async (host) => {
    const { tools } = await host.listTools();
    for (const { name } of tools) await settled([call(host, name, { region: 'us-west1' })]);
  },
};

/** A person who logs in when mcpd says that it needs a login, and gives up after some times. */
const LOGINS_MAX = 3;

const useTool: Play = async (host) => {
  await host.listTools();
  return call(host, 'test-tool');
};

/** @throws {Error} mcpd refused something, or a call failed */
export async function play(url: string): Promise<void> {
  await mcpd('install', url, '--name', server);
  let wanted = await needsLogin();
  for (let logins = 0; wanted && logins < LOGINS_MAX; logins++) {
    await logIn();
    wanted = await wantsMore();
  }
  await asHost(PLAYS[scenario] ?? useTool);
}

// — internal —

async function asHost(work: Play): Promise<void> {
  const host = await connected();
  try {
    await work(host);
  } finally {
    await host.close();
  }
}

/** A host that has only this server, in the era that the suite asks for. */
async function connected(): Promise<Client> {
  const host = new Client(
    { name: 'conformance-host', version: '1.0.0' },
    {
      capabilities: { elicitation: { form: { applyDefaults: true } } },
      ...(modern && { versionNegotiation: { mode: { pin: '2026-07-28' } } }),
    },
  );
  host.setRequestHandler('elicitation/create', async () => ({ action: 'accept', content: { confirmed: true } }));
  const url = new URL(`${environment('MCPD_URL')}/s/${server}`);
  const headers = { authorization: `Bearer ${environment('MCPD_TOKEN')}` };
  await host.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  return host;
}

async function needsLogin(): Promise<boolean> {
  const { wantedReason } = JSON.parse(await mcpd('info', server, '--json')) as { wantedReason: string | null };
  return wantedReason === 'needs-auth';
}

/** A server may want more of a login once it is called: the error of that call names the command. */
async function wantsMore(): Promise<boolean> {
  const failure: unknown = await asHost(useTool).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return (await needsLogin()) || String(failure).includes(`mcpd auth ${server}`);
}

/** `mcpd auth`, and a browser that opens its link. @throws {Error} mcpd refused the login or could not finish it */
async function logIn(): Promise<void> {
  const { client_id: id, client_secret: secret } = context;
  const known = id === undefined ? [] : ['--client-id', id, ...(secret === undefined ? [] : ['--client-secret'])];
  const child = spawn(process.execPath, [environment('MCPD_PROGRAM'), 'auth', server, '--json', ...known], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...(secret !== undefined && { MCPD_CLIENT_SECRET: secret }) },
  });
  const ended = once(child, 'close');
  for await (const line of createInterface(child.stdout)) {
    const event = JSON.parse(line) as { type: string; url?: string };
    if (event.url !== undefined) await fetch(event.url);
  }
  const [code] = (await ended) as [number | null];
  if (code !== 0) throw new Error(`mcpd auth ended with ${code}`);
}

async function mcpd(...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [environment('MCPD_PROGRAM'), ...args]);
  return stdout;
}
