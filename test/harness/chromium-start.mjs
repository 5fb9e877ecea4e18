import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import bundled from '@sparticuz/chromium';
import { chromium } from 'playwright-core';

/**
 * The browser for tests and screenshots: the one that MCPD_TEST_BROWSER names, else the one that npm brings (Linux on x64), unpacked once
 * into node_modules/.cache, else an installed Chrome or Chromium. It was started once, so what is given works.
 * @throws {Error} none starts; the message says what to install
 */
export async function findChromium() {
  const place = await candidate();
  try {
    await (await launch(place)).close();
  } catch (thrown) {
    throw new Error(`${place.executable} does not start. ${ADVICE}\n${String(thrown)}`);
  }
  return place;
}

/** Without the arguments of the package: they put all pages into one process and turn off what the tests are about. */
export function launch({ executable, env }, args = []) {
  return chromium.launch({
    executablePath: executable,
    args: [...ALWAYS, ...args],
    env: { ...process.env, ...env },
  });
}

// — internal —

const ADVICE = [
  'Set MCPD_TEST_BROWSER to the path of an installed Chrome or Chromium,',
  'or install what it needs: on Debian and Ubuntu `apt-get install chromium`, on macOS `brew install --cask google-chrome`.',
].join(' ');

/** Tests run as root in containers, where the sandbox cannot be; the small /dev/shm of a container would crash pages. */
const ALWAYS = ['--no-sandbox', '--disable-dev-shm-usage'];

const INSTALLED = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

async function candidate() {
  const named = process.env['MCPD_TEST_BROWSER'];
  if (named !== undefined) return { executable: named, env: {} };
  if (process.platform === 'linux' && process.arch === 'x64') return unpacked();
  const executable = INSTALLED.find(existsSync);
  if (executable !== undefined) return { executable, env: {} };
  throw new Error(`no browser was found for the tests of the page. ${ADVICE}`);
}

async function unpacked() {
  const modules = fileURLToPath(new URL('../../node_modules', import.meta.url));
  const { version } = JSON.parse(readFileSync(join(modules, '@sparticuz/chromium/package.json'), 'utf8'));
  const folder = join(modules, '.cache', `chromium-${version}`);
  if (!existsSync(folder)) await unpackInto(folder);
  const executable = join(folder, 'chromium');
  const libraries = lacksLibraries(executable) ? { LD_LIBRARY_PATH: join(folder, 'al2023/lib') } : {};
  return { executable, env: { FONTCONFIG_FILE: join(folder, 'fonts.conf'), ...libraries } };
}

/** The package takes half-written files for ready ones, so it unpacks into a folder of its own, which then gets its name at once. */
async function unpackInto(folder) {
  const making = `${folder}.${process.pid}`;
  mkdirSync(making, { recursive: true });
  const before = { TMPDIR: process.env['TMPDIR'], AWS_EXECUTION_ENV: process.env['AWS_EXECUTION_ENV'] };
  try {
    // There it unpacks, and for such a machine it brings NSS, NSPR and expat too.
    set({ TMPDIR: making, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' });
    await bundled.executablePath();
  } finally {
    set(before);
  }
  writeFileSync(join(making, 'fonts.conf'), fontsOf(folder));
  try {
    renameSync(making, folder);
  } catch (thrown) {
    rmSync(making, { recursive: true, force: true });
    // Somebody else was quicker.
    if (!existsSync(folder)) throw thrown;
  }
}

function set(values) {
  for (const [name, value] of Object.entries(values)) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
}

/** A bare machine has none of NSS, NSPR and expat. */
function lacksLibraries(executable) {
  try {
    return execFileSync('ldd', [executable], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).includes(
      'not found',
    );
  } catch {
    return true; // No ldd: the libraries of the package do no harm.
  }
}

/** The same text everywhere: the font of the package, and what the system has for the rest. */
function fontsOf(folder) {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/fonts-cache</cachedir>
  <alias binding="strong"><family>system-ui</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="strong"><family>sans-serif</family><prefer><family>Open Sans</family></prefer></alias>
  <alias binding="strong"><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;
}
