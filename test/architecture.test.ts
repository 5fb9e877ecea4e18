import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/**
 * The borders of the code, as ARCHITECTURE.md draws them. A change here is a change of the architecture: it needs its reason there.
 */
const GROUND = ['src/*'];
const MAY_IMPORT: Record<string, { from: string[]; why: string }> = {
  'src/protocol': { from: [], why: 'bytes and revisions only: it is also part of the shim, and imports nothing' },
  'src/core': {
    from: ['src/protocol', 'src/limits', 'src/input-limits', 'src/errors'],
    why: 'it decides; whoever performs imports it, not the other way round',
  },
  'src/hosts': {
    from: ['src/core', 'src/protocol', ...GROUND],
    why: 'the edge to hosts meets servers in the core only',
  },
  'src/servers': {
    from: ['src/core', 'src/protocol', ...GROUND],
    why: 'the edge to servers meets hosts in the core only',
  },
  'src/auth': {
    from: ['src/core/model', 'src/api/contract', ...GROUND],
    why: 'it holds tokens: it knows neither hosts nor requests, and is asked by functions',
  },
  'src/telemetry': {
    from: [
      'src/core/model',
      'src/core/call-record',
      'src/core/stages',
      'src/core/start-count',
      'src/api/contract',
      ...GROUND,
    ],
    why: 'it counts and tells: what it looks at is handed to it',
  },
  'src/install': {
    from: ['src/core', 'src/api/contract', 'registry', ...GROUND],
    why: 'what it needs of other edges is handed to it',
  },
  'src/doctor': {
    from: ['src/api/contract', 'src/core/model', ...GROUND],
    why: 'the daemon and the CLI both look: what they see is handed to it, or lies on the disk',
  },
  'src/api': {
    from: ['src/core', 'src/doctor', ...GROUND],
    why: 'it shows and asks through DaemonControl, and knows no part behind it',
  },
  'src/control': {
    from: ['src/api/contract', ...GROUND],
    why: 'the CLI loads it: no library of the daemon may come along',
  },
  'src/engine': {
    from: ['src/control/engine', 'registry/lock', ...GROUND],
    why: 'pm2 is reached from here alone; its calls need the start lock',
  },
  'src/recorder': {
    from: ['src/core/events', 'src/core/model', 'src/protocol', 'src/api/contract', ...GROUND],
    why: 'it is told of messages and given processes, and knows neither the core nor the edges behind them',
  },
  'src/daemon': { from: ['src', 'registry'], why: 'the composition root; it does not know pm2, the CLI or the page' },
  registry: {
    from: ['src/core', 'src/api/contract', ...GROUND],
    why: 'the truth of what is installed; it starts nothing',
  },
  'registry/servers': { from: ['registry/servers'], why: 'servers like any other: separate programs' },
  cli: {
    from: [
      'cli',
      'src/control',
      'src/engine',
      'src/doctor',
      'src/api/contract',
      'src/protocol',
      'src/core/model',
      'src/install/snippet',
      ...GROUND,
    ],
    why: 'it talks to the daemon, and cannot reach into its parts; what a person pastes is read, pure, before anything is asked',
  },
  'cli/stdio': {
    from: ['cli/stdio', 'src/protocol', 'src/limits', 'src/version', 'src/bytecode'],
    why: 'the shim starts within milliseconds and outlives daemons',
  },
  dashboard: {
    from: [
      'dashboard',
      'src/api/contract',
      'src/core/model',
      'src/text',
      'src/shell-word',
      'src/closest',
      'src/errors',
      'src/install/snippet',
      'src/install/packages/git-address',
    ],
    why: 'it runs in a browser: types and constants, what makes text safe to show and to paste, and what reads typed and pasted text, pure',
  },
};

/** Each library has one home; everything else reaches it through that folder. */
const LIBRARIES: Record<string, string[]> = {
  'eventsource-parser': ['src/servers/remote'],
  'better-sqlite3': ['registry'],
  hono: ['src/api', 'src/hosts/http'],
  '@hono/node-server': ['src/api'],
  ws: ['src/api'],
  chokidar: ['src/watch.ts'],
  'zod/mini': ['src/api/contract.ts', 'registry', 'src/install', 'src/api'],
  zod: ['registry/servers'],
  '@modelcontextprotocol/server': ['registry/servers'],
  '@modelcontextprotocol/client': ['src/auth'],
  preact: ['dashboard'],
  '@preact/signals': ['dashboard'],
  uplot: ['dashboard/src/ui/plot'],
  '@napi-rs/keyring': ['src/keyring-program.ts'],
  'prom-client': ['src/telemetry'],
  yauzl: ['src/install/bundle'],
  '@opentelemetry': ['src/telemetry'],
};

const sources = ['src', 'cli', 'registry', 'dashboard']
  .flatMap((folder) => filesIn(folder))
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'));

test.each(sources)('%s imports only what its folder may', (file) => {
  const folder = folderOf(file);
  const rule = MAY_IMPORT[folder];
  for (const specifier of importsOf(file)) {
    if (specifier.startsWith('node:')) continue;
    if (!specifier.startsWith('.')) {
      const library = Object.keys(LIBRARIES)
        .filter((name) => specifier === name || specifier.startsWith(`${name}/`))
        .sort((a, b) => b.length - a.length)[0];
      expect(library, `${file} imports ${specifier}, a library without a home`).toBeDefined();
      const homes = LIBRARIES[library ?? ''] ?? [];
      expect(
        homes.some((home) => file.startsWith(home)),
        `${file} imports ${specifier}, whose home is ${homes.join(', ')}`,
      ).toBe(true);
      continue;
    }
    const target = normalize(join(file, '..', specifier)).replace(/\.tsx?$/, '');
    const allowed =
      rule === undefined
        ? isGround(target)
        : target.startsWith(`${folder}/`) || rule.from.some((from) => fits(target, from));
    expect(
      allowed,
      `${file} imports ${target}; ${rule?.why ?? 'files directly in src are the ground, and import one another only'}`,
    ).toBe(true);
  }
});

test('the core and the protocol touch neither clock nor system, and never wait', () => {
  const worldly = /from 'node:|setTimeout|setInterval|Date\.now|new Date\(|Math\.random|process\.\w|\bawait\b/;
  for (const file of sources.filter((one) => one.startsWith('src/core/') || one.startsWith('src/protocol/'))) {
    for (const [at, line] of readFileSync(file, 'utf8').split('\n').entries())
      expect(worldly.test(line), `${file}:${at + 1}: ${line}`).toBe(false);
  }
});

test('revision strings occur in src/protocol only', () => {
  for (const file of sources.filter((one) => !one.startsWith('src/protocol/'))) {
    expect(/['"]20(24|25|26)-\d\d-\d\d['"]/.test(readFileSync(file, 'utf8')), file).toBe(false);
  }
});

test('no file is longer than 300 lines', () => {
  for (const file of sources) expect(readFileSync(file, 'utf8').split('\n').length, file).toBeLessThanOrEqual(301);
});

test('no file has a name that says nothing', () => {
  for (const file of sources)
    expect(/(^|\/)(utils?|helpers?|manager|common|misc|service)[./]/i.test(file), file).toBe(false);
});

test('every path that ARCHITECTURE.md names exists', () => {
  const text = readFileSync('ARCHITECTURE.md', 'utf8');
  const named = [...text.matchAll(/`((?:src|cli|registry|dashboard|test|docs|scripts)\/[\w./-]+)`/g)].map(
    (match) => match[1] ?? '',
  );
  expect(named.length).toBeGreaterThan(20);
  for (const path of named) expect(existsSync(path), path).toBe(true);
});

test('ARCHITECTURE.md draws the borders that are tested here', () => {
  const rows = tableOf(readFileSync('ARCHITECTURE.md', 'utf8'), '| folder | may import | because |');
  const drawn = rows.map(([folder = '', from = '']) => {
    const named = [...from.matchAll(/`([^`]+)`/g)].map((match) => (match[1] ?? '').replace(/\.ts$/, ''));
    return [unquoted(folder), from.includes('ground') ? [...named, ...GROUND] : named];
  });
  expect(Object.fromEntries(drawn)).toEqual(
    Object.fromEntries(Object.entries(MAY_IMPORT).map(([folder, { from }]) => [folder, from])),
  );
});

// — internal —

/** The cells of the table with this head, row by row. */
function tableOf(text: string, head: string): string[][] {
  const lines = text.slice(text.indexOf(head)).split('\n').slice(2);
  const end = lines.findIndex((line) => !line.startsWith('|'));
  return lines.slice(0, end).map((line) => line.split('|').slice(1, -1));
}

function unquoted(cell: string): string {
  return cell.trim().replaceAll('`', '');
}

function filesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    return statSync(path).isDirectory() ? filesIn(path) : [path];
  });
}

/** The innermost folder that has a rule. */
function folderOf(file: string): string {
  if (file === 'cli/stdio.ts') return 'cli/stdio';
  const rules = Object.keys(MAY_IMPORT).filter((folder) => file.startsWith(`${folder}/`));
  return rules.sort((a, b) => b.length - a.length)[0] ?? '';
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, 'utf8');
  return [...text.matchAll(/^(?:import|export)\b[^;]*?from '([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    (match) => match[1] ?? match[2] ?? '',
  );
}

/** `src/*` stands for the files directly in src. */
function fits(target: string, from: string): boolean {
  return from === 'src/*' ? isGround(target) : target === from || target.startsWith(`${from}/`);
}

function isGround(target: string): boolean {
  return /^src\/[^/]+$/.test(target);
}
