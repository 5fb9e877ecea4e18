import type { ProcessNode, ProcessTree } from '../src/api/contract.ts';
import { shownWhose } from '../src/shown.ts';

export interface ProcessRow {
  pid: number;
  rssBytes: number;
  /** With the branches of the tree before it. */
  text: string;
}

/** The processes as lines of a tree: the daemon, under it each server's process, its descendants, and what has left its tree. */
export function processRows(tree: ProcessTree): ProcessRow[] {
  const rows: ProcessRow[] = [{ ...tree.daemon, text: 'mcpd daemon' }];
  const running = tree.servers.flatMap((server) => [
    ...(server.root === null ? [] : [{ node: server.root, label: labelOf(server) }]),
    ...server.strays.map((node) => ({ node, label: `${server.instance} (left its tree)  ` })),
  ]);
  for (const [i, { node, label }] of running.entries()) addNode(rows, node, label, '', i === running.length - 1);
  return rows;
}

// — internal —

/** Whose it is stands there where it is not for all. */
function labelOf(server: ProcessTree['servers'][number]): string {
  const whose = server.hosts === null ? '' : `, for ${shownWhose(server)}`;
  return `${server.instance} (${server.state}${whose})  `;
}

function addNode(rows: ProcessRow[], node: ProcessNode, label: string, indent: string, isLast: boolean): void {
  rows.push({
    pid: node.pid,
    rssBytes: node.rssBytes,
    text: `${indent}${isLast ? '└─' : '├─'} ${label}${node.command}`,
  });
  const below = `${indent}${isLast ? '   ' : '│  '}`;
  for (const [i, child] of node.children.entries()) addNode(rows, child, '', below, i === node.children.length - 1);
}
