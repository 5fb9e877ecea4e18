import type { ProcessNode, ProcessTree } from '../../src/api/contract.ts';
import { shownBytes, shownWhose } from '../../src/shown.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import type { Output } from '../output.ts';
import { processRows } from '../process-rows.ts';

export async function runPs(parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const tree = await (await context.daemon()).request<ProcessTree>('GET', '/api/processes');
  if (parsed.flag('json')) return output.json(tree);
  if (parsed.flag('tree')) showTree(tree, output);
  else showFlat(tree, output);
}

// — internal —

function showTree(tree: ProcessTree, output: Output): void {
  output.table(processRows(tree), [
    { title: 'PID', cell: (row) => String(row.pid), side: 'right' },
    { title: 'MEMORY', cell: (row) => shownBytes(row.rssBytes), side: 'right' },
    { title: 'PROCESS', cell: (row) => row.text, cuttable: true },
  ]);
}

function showFlat(tree: ProcessTree, output: Output): void {
  output.table(tree.servers, [
    { title: 'INSTANCE', cell: (server) => server.instance },
    { title: 'STATE', cell: (server) => server.state },
    { title: 'FOR', cell: (server) => shownWhose(server) },
    { title: 'PID', cell: (server) => String(server.root?.pid ?? '-'), side: 'right' },
    { title: 'PROCESSES', cell: (server) => String(processesIn(server.root, server.strays)), side: 'right' },
    { title: 'MEMORY', cell: (server) => shownBytes(bytesOf(server.root, server.strays)), side: 'right' },
    { title: 'COMMAND', cell: (server) => server.root?.command ?? '', cuttable: true },
  ]);
}

function processesIn(root: ProcessNode | null, others: readonly ProcessNode[]): number {
  return [...(root === null ? [] : [root]), ...others].reduce(
    (sum, node) => sum + 1 + processesIn(null, node.children),
    0,
  );
}

function bytesOf(root: ProcessNode | null, others: readonly ProcessNode[]): number {
  return [...(root === null ? [] : [root]), ...others].reduce(
    (sum, node) => sum + node.rssBytes + bytesOf(null, node.children),
    0,
  );
}
