import { join } from 'node:path';
import type { ServerStatus, ToolInfo } from '../../src/api/contract.ts';
import { closest } from '../../src/closest.ts';
import { McpdError } from '../../src/errors.ts';
import { showable, showableRawJson } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import { argumentsJson, objectJson } from '../tool-arguments.ts';
import { callTool } from '../tool-call.ts';
import { isToolError, resultText } from '../tool-result.ts';

/** Exit code of a tool that says it failed: the same as for a server at fault. */
const TOOL_ERROR_EXIT = 5;

/** What mcpd tells a server that asks a host which cannot be asked; most servers hand it on. */
const UNASKED = /the host does not support (?:elicitation|sampling|roots)/;

export async function runCall(parsed: Parsed, context: Context): Promise<number> {
  const { output, dist, env, signal } = context;
  const [name = '', ...words] = parsed.operands;
  const object = parsed.value('args');
  if (object !== undefined && words.length > 0) {
    throw new McpdError('USAGE', {
      what: 'arguments are given twice',
      why: 'either key=value words or one JSON object',
      fix: 'mcpd call --help',
    });
  }
  const daemon = await context.daemon();
  const tools = await daemon.request<ToolInfo[]>('GET', '/api/tools');
  const tool = toolNamed(name, tools);
  if (tool === null) throw unknownTool(name, tools, await daemon.request<ServerStatus[]>('GET', '/api/servers'));
  if (tool.onlyFor !== null) throw notAskable(tool);
  const unasked = () =>
    output.say('mcpd call answers no questions of a server. On the page they can be: mcpd dashboard');
  const raw = await callTool({
    shim: join(dist, 'stdio.cjs'),
    env,
    tool: tool.name,
    server: tool.server,
    argumentsJson: object === undefined ? argumentsJson(words, tool.inputSchema) : objectJson(object),
    signal,
    onProgress: (text) => output.say(output.sayPaint.dim(showable(text))),
    onStderr: (line) => output.say(showable(line)),
  }).catch((thrown: unknown) => {
    if (thrown instanceof McpdError && UNASKED.test(thrown.message)) unasked();
    throw thrown;
  });
  const result: unknown = JSON.parse(raw);
  if (parsed.flag('json')) output.text(showableRawJson(raw));
  else output.text(resultText(result));
  if (!isToolError(result)) return 0;
  output.say(`${output.sayPaint.red('mcpd:')} ${tool.name} says that it failed`);
  if (UNASKED.test(raw)) unasked();
  return TOOL_ERROR_EXIT;
}

// — internal —

/** By the name that hosts see, or by the server's own when only one has it. */
function toolNamed(name: string, tools: readonly ToolInfo[]): ToolInfo | null {
  const exact = tools.find((tool) => tool.name === name);
  if (exact !== undefined) return exact;
  const [only, ...others] = tools.filter((tool) => tool.raw === name);
  return only !== undefined && others.length === 0 ? only : null;
}

/** Its server would not know it: it is called as a host that cannot be asked. */
function notAskable({ name, server, onlyFor }: ToolInfo): McpdError {
  return new McpdError('TOOL_UNKNOWN', {
    what: `the command line cannot call ${name}`,
    why: `${server} lists it only to hosts that can be asked (${onlyFor?.join(', ')}), and this command answers no questions`,
    fix: 'mcpd dashboard, where a person can answer',
  });
}

function unknownTool(name: string, tools: readonly ToolInfo[], servers: readonly ServerStatus[]): McpdError {
  const owner = servers.find((server) => name.startsWith(`${server.name}__`));
  if (owner?.enabled === false) {
    return new McpdError('TOOL_UNKNOWN', {
      what: `hosts do not see ${name}`,
      why: `${owner.name} is disabled`,
      fix: `mcpd enable ${owner.name}`,
    });
  }
  const namesakes = tools.filter((tool) => tool.raw === name).map((tool) => tool.name);
  const all = tools.map((tool) => tool.name);
  const [first, ...others] = namesakes.length > 0 ? namesakes : closest(name, all);
  return new McpdError('TOOL_UNKNOWN', {
    what: namesakes.length > 0 ? `${namesakes.length} servers have a tool ${name}` : `no server has a tool ${name}`,
    ...(first === undefined ? {} : { why: `did you mean ${[first, ...others].join(' or ')}?` }),
    fix: first === undefined ? ['mcpd tools', owner?.name ?? ''].join(' ').trim() : `mcpd call ${first}`,
  });
}
