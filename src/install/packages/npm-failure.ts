import { didYouMean } from '../../closest.ts';
import { type ErrorCode, McpdError } from '../../errors.ts';

/** What npm says of a failed install, in mcpd's words. Pure: texts in, error out. */

export interface NpmFailure {
  /** `E404`, `ETARGET`, `ECONNREFUSED`, a script's exit code …; empty when npm said none. */
  code: string;
  summary: string;
  detail: string;
}

/** Reads the error that `npm --json` prints, or else the `npm error` lines. */
export function readNpmFailure(stdout: string, stderr: string): NpmFailure {
  const printed = printedError(stdout);
  if (printed !== null) return printed;
  const lines = stderr
    .split('\n')
    .map((line) => /^npm (?:error|ERR!) ?(.*)$/.exec(line)?.[1]?.trim())
    .filter((line) => line !== undefined && line !== '' && !line.startsWith('A complete log')) as string[];
  const code = lines.map((line) => /^code (\S+)$/.exec(line)?.[1]).find((found) => found !== undefined) ?? '';
  const said = lines.filter((line) => !/^(code|errno|syscall|path) /.test(line));
  return { code, summary: said[0] ?? '', detail: said.slice(1).join('\n') };
}

export interface Asked {
  identifier: string;
  /** As asked for: a version, a tag or a range. */
  range: string;
  /** Names that the person may have meant. */
  knownNames: readonly string[];
}

/** @returns the error for a failed fetch; for ETARGET without versions, which the caller adds. */
export function npmError(failure: NpmFailure, asked: Asked): McpdError {
  const what = `${asked.identifier} could not be fetched`;
  const error = (code: ErrorCode, parts: { what?: string; why: string; fix?: string }) =>
    new McpdError(code, {
      what: parts.what ?? what,
      why: parts.why,
      ...(parts.fix === undefined ? {} : { fix: parts.fix }),
    });
  const { code, summary, detail } = failure;
  if (code === 'E404') return notFound(failure, asked);
  if (code === 'ETARGET' || code === 'ENOVERSIONS') return noVersion(failure, asked);
  if (FULL.has(code)) return error('DISK_FULL', { why: 'the disk is full', fix: 'free some space and try again' });
  if (code === 'EBADPLATFORM') return error('PACKAGE_NOT_RUNNABLE', { why: summary });
  if (code === 'EBADENGINE') {
    return error('PACKAGE_NOT_RUNNABLE', {
      why: summary.replaceAll('\n', ': '),
      fix: 'run mcpd with a Node.js that the package accepts',
    });
  }
  if (LOGIN.has(code)) {
    return error('FETCH_FAILED', {
      why: `${hostOf(failure) ?? 'the registry'} refused it (${code}): ${firstLine(summary)}`,
      fix: 'npm login, or set a token in ~/.npmrc',
    });
  }
  if (code === 'EINTEGRITY') {
    return error('FETCH_FAILED', {
      why: 'what the registry sent does not match its checksum',
      fix: 'npm cache verify, and try again',
    });
  }
  if (/^\d+$/.test(code)) {
    return error('FETCH_FAILED', {
      why: `an install script ended with ${code}: ${detail.split('\n').filter(Boolean).at(-1) ?? summary}`,
    });
  }
  if (code === 'EACCES' || code === 'EPERM' || code === 'EROFS') {
    return error('FETCH_FAILED', {
      why: `${code}: ${firstLine(summary)}`,
      fix: "check the owner and rights of ~/.npm and of mcpd's home",
    });
  }
  const host = hostOf(failure);
  if (CERTIFICATE.test(code)) {
    return error('FETCH_FAILED', {
      why: `the certificate of ${host ?? 'the registry'} is not trusted (${code}): ${firstLine(summary)}`,
      fix: 'npm config set cafile FILE, or start mcpd with NODE_EXTRA_CA_CERTS=FILE',
    });
  }
  if (host !== null) {
    return error('FETCH_FAILED', {
      why: `${host} could not be reached (${code}): ${firstLine(summary)}`,
      fix: 'check the network, the proxy and the registry: npm config get registry',
    });
  }
  return error('FETCH_FAILED', { why: `npm failed (${code === '' ? 'without a code' : code}): ${firstLine(summary)}` });
}

/** `npm warn EBADENGINE` blocks, as one sentence each. */
export function engineWarnings(stderr: string): string[] {
  const block = /EBADENGINE\s+package: '([^']+)',\n.*EBADENGINE\s+required: (\{[^\n]*\})/g;
  return [...stderr.matchAll(block)].map(
    ([, name, required]) => `${name} asks for another runtime than this one: ${required}`,
  );
}

// — internal —

const FULL = new Set(['ENOSPC', 'EDQUOT']);
const CERTIFICATE = /CERT|^UNABLE_TO_(GET|VERIFY)/;
const LOGIN = new Set(['E401', 'E403', 'E407', 'ENEEDAUTH', 'EOTP']);

function printedError(stdout: string): NpmFailure | null {
  try {
    const parsed: unknown = JSON.parse(stdout.slice(stdout.indexOf('{')));
    const error = (parsed as { error?: unknown } | null)?.error;
    if (typeof error !== 'object' || error === null) return null;
    const { code, summary, detail } = error as Record<string, unknown>;
    const text = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');
    return { code: text(code), summary: text(summary), detail: text(detail) };
  } catch {
    return null; // older npms print the error as lines only, and a killed one prints half of it
  }
}

function notFound(failure: NpmFailure, asked: Asked): McpdError {
  const missing = /requested resource '(.+?)@[^']*'/.exec(failure.detail)?.[1] ?? asked.identifier;
  const host = hostOf(failure) ?? 'the registry';
  if (missing !== asked.identifier) {
    return new McpdError('FETCH_FAILED', {
      what: `${asked.identifier} could not be fetched`,
      why: `it depends on ${missing}, which ${host} does not have`,
    });
  }
  const bare = asked.identifier.replace(/^@[^/]+\//, '');
  const hint = didYouMean(bare.replace(/^(mcp-)?server-/, ''), asked.knownNames);
  return new McpdError('PACKAGE_UNKNOWN', {
    what: `there is no package ${asked.identifier}`,
    why: `${host} does not have it, or shows it only after a login`,
    fix: hint === undefined ? `npm search ${bare}` : `${hint} (mcpd search lists the catalog)`,
  });
}

function noVersion(failure: NpmFailure, asked: Asked): McpdError {
  const missing = /for (.+)@[^@]*?\.?$/.exec(firstLine(failure.summary))?.[1] ?? asked.identifier;
  if (missing !== asked.identifier) {
    return new McpdError('FETCH_FAILED', {
      what: `${asked.identifier} could not be fetched`,
      why: `it depends on a version that does not exist: ${firstLine(failure.summary)}`,
    });
  }
  return new McpdError('VERSION_UNKNOWN', {
    what: `${asked.identifier} has no version ${asked.range}`,
    fix: `npm view ${asked.identifier} versions`,
  });
}

function hostOf(failure: NpmFailure): string | null {
  const url = /https?:\/\/[^\s'"]+/.exec(`${failure.summary} ${failure.detail}`)?.[0];
  if (url !== undefined && URL.canParse(url)) return new URL(url).host;
  return /(?:ENOTFOUND|EAI_AGAIN)\s+(\S+)/.exec(failure.summary)?.[1] ?? null;
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0] ?? '';
}
