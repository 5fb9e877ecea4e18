import { join } from 'node:path';
import type { ToolInfo } from '../../src/api/contract.ts';
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
  const tools = await (await context.daemon()).request<ToolInfo[]>('GET', '/api/tools');
  const tool = toolNamed(name, tools);
  const raw = await callTool({
    shim: join(dist, 'stdio.cjs'),
    env,
    tool: tool.name,
    argumentsJson: object === undefined ? argumentsJson(words, tool.inputSchema) : objectJson(object),
    signal,
    onProgress: (text) => output.say(output.sayPaint.dim(showable(text))),
    onStderr: (line) => output.say(showable(line)),
  });
  const result: unknown = JSON.parse(raw);
  if (parsed.flag('json')) output.text(showableRawJson(raw));
  else output.text(resultText(result));
  if (!isToolError(result)) return 0;
  output.say(`${output.sayPaint.red('mcpd:')} ${tool.name} says that it failed`);
  return TOOL_ERROR_EXIT;
}

// — internal —

/** By the name that hosts see, or by the server's own when only one has it. @throws McpdError TOOL_UNKNOWN with the closest names */
function toolNamed(name: string, tools: readonly ToolInfo[]): ToolInfo {
  const exact = tools.find((tool) => tool.name === name);
  if (exact !== undefined) return exact;
  const sameRaw = tools.filter((tool) => tool.raw === name);
  const [only] = sameRaw;
  if (only !== undefined && sameRaw.length === 1) return only;
  const names =
    sameRaw.length > 1
      ? sameRaw.map((tool) => tool.name)
      : closest(
          name,
          tools.map((tool) => tool.name),
        );
  throw new McpdError('TOOL_UNKNOWN', {
    what: sameRaw.length > 1 ? `${sameRaw.length} servers have a tool ${name}` : `no server has a tool ${name}`,
    ...(names.length === 0 ? {} : { why: `did you mean ${names.join(' or ')}?` }),
    fix: names[0] === undefined ? listingOf(name, tools) : `mcpd call ${names[0]}`,
  });
}

/** The tools of the server that the name begins with, else all. */
function listingOf(name: string, tools: readonly ToolInfo[]): string {
  const server = tools.find((tool) => name.startsWith(`${tool.server}__`))?.server;
  return server === undefined ? 'mcpd tools' : `mcpd tools ${server}`;
}
